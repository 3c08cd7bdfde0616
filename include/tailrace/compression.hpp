// Tries compression on values, as the servers would compress a chunk of them; `tailrace advise` uses it. A
// model uses tailrace.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tailrace/error.hpp"
#include "tailrace/export.h"

namespace tailrace {

// A chunk of float32 (value_bytes 4) or float64 (8), in C order.
struct CompressionInput {
  const void* values = nullptr;
  std::size_t value_bytes = 4;
  std::vector<std::int64_t> shape;
  std::optional<double> fill_value{};  // of values without data
};

struct CompressionTrial {
  std::uint64_t bytes = 0;      // of the encoded chunk
  double encode_seconds = 0.0;  // of the processor: rounding, encoding and all checks
  double decode_seconds = 0.0;
  double largest_absolute_error = 0.0;
  double largest_relative_error = 0.0;  // a share of the value
  bool is_exact = false;                // the bound could not be held, so the values were encoded as they are
  int bits = 0;                         // with `information`: of the mantissa, that were kept
};

class TAILRACE_EXPORT Compression {
 public:
  // A value of `compression` in a configuration, such as "{codec: zstd, keep: {absolute: 0.1}}". Throws
  // Error(configuration) that names what is wrong with it.
  explicit Compression(std::string settings);
  // `stored`: gets as many values as there are, as a reader gets them; null: not wanted. Blocks for as long
  // as the compression takes. Error(usage) for an empty chunk.
  CompressionTrial try_on(const CompressionInput& input, void* stored) const;
  // The information, in bits, that each bit of the values has of the same bit of the next value along the
  // last dim, from the sign to the end of the mantissa (Kloewer et al. 2021, doi:10.1038/s43588-021-00156-2).
  // Information that could be chance counts as 0.
  static std::vector<double> information_of_bits(const CompressionInput& input);

 private:
  std::string settings_;
};

}  // namespace tailrace
