// Rounds values so that their last bits are zero and compress well: what is left are plain numbers, which any
// reader understands. Every backend rounds each value by itself to a multiple of a power of two, halfway
// cases to the even one. A value that would become the fill value or infinite stays as it is. A rounded value
// must not be rounded again: the step may grow with the value, so a second time may move it further.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/lossy/keep.hpp"

namespace tailrace::codecs::lossy {

// Immutable, so one object serves all threads.
class Rounding {
 public:
  virtual ~Rounding() = default;
  virtual std::string name() const = 0;
  // `values`: float32 or float64 as the type with which it was made says.
  virtual void round(std::span<std::byte> values) const = 0;
};

// The input of a backend. `keep` has no `information`.
struct RoundingRequest {
  Keep keep;
  model::DataType type = model::DataType::float32;  // or float64
  std::optional<double> fill_value{};
};

// A backend: nothing where it cannot hold these bounds.
struct RoundingBackend {
  std::string name;
  std::unique_ptr<const Rounding> (*make)(const RoundingRequest& request);
};
// The fastest first.
const std::vector<RoundingBackend>& rounding_backends();

// By the first backend that can.
std::unique_ptr<const Rounding> make_rounding(const RoundingRequest& request);

bool can_round(model::DataType type);  // float32 and float64

}  // namespace tailrace::codecs::lossy
