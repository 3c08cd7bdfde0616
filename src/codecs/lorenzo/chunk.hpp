// Chunks of the codec `lorenzo`: each value is predicted from its neighbours to the left, above, and above to
// the left (the Lorenzo predictor, Ibarria et al. 2003, doi:10.1111/1467-8659.00681), in whole numbers, so
// that nothing is lost. The residuals that the prediction misses are small, and Zstandard packs their bytes,
// those of equal significance side by side. docs/formats/lorenzo.md describes the bytes.
//
// Nothing here depends on the rest of Tailrace, since readers load it too
// (output/netcdf/plugin/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tailrace::codecs::lorenzo {

enum class Mode : std::uint8_t {
  raw = 0,       // the values as they are
  steps = 1,     // real values that are whole multiples of `step`: the multiples
  patterns = 2,  // other real values: their bit patterns, in the order of the numbers
  integers = 3,
};

struct Header {
  Mode mode = Mode::raw;
  std::uint8_t value_bytes = 1;  // 1, 2, 4 or 8
  std::uint8_t planes = 0;       // bytes of a residual that are stored
  std::uint8_t shift = 0;        // patterns: bits at the end that are zero in all values, and not stored
  std::uint64_t values = 0;
  std::uint32_t row = 1, rows = 1;  // values in a row; rows in a plane
  double step = 0.0;
  std::uint64_t exceptions = 0;  // values that are stored as they are

  std::uint64_t bytes() const { return values * value_bytes; }
};

inline constexpr std::size_t header_bytes = 40;

// The values of a chunk. The last row and the last plane may be incomplete.
struct Input {
  std::span<const std::byte> values;
  std::size_t value_bytes = 4;  // 1, 2, 4 or 8
  bool is_real = true;          // float32 or float64
  std::uint32_t row = 1, rows = 1;
  double step = 0.0;             // 0: not known
  std::optional<double> fill{};  // of values without data
  int level = 1;                 // of Zstandard
};

// Throws std::runtime_error if Zstandard fails.
std::vector<std::byte> encode(const Input& input);

// The header that comes before values as they are, so that records can be added to them in place.
std::vector<std::byte> raw_header(std::size_t bytes, std::size_t value_bytes);

// Nothing for what encode() cannot have made.
std::optional<Header> read_header(std::span<const std::byte> encoded);

// Writes header.bytes() bytes. `header`: from read_header() of the same chunk. Returns what is wrong with the
// chunk, if anything; the values are then undefined.
std::optional<std::string> decode(const Header& header, std::span<const std::byte> encoded,
                                  std::span<std::byte> values);

}  // namespace tailrace::codecs::lorenzo
