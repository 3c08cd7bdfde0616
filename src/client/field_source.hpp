// Where the model gets fields that it does not compute, such as those of a checkpoint.
#pragma once

#include <cstdint>
#include <span>

#include "model/block.hpp"
#include "model/data_type.hpp"

namespace tailrace::client {

// Like Array, but writable.
struct Target {
  void* data = nullptr;
  model::DataType type = model::DataType::float64;
  std::span<const std::int64_t> shape;
  std::span<const std::int64_t> strides;
};

class FieldSource {
 public:
  virtual ~FieldSource() = default;
  // `field`: a handle of the declarer. Returns false for any other number.
  virtual bool has(int field) const = 0;
  // Reads this rank's part at `now`, in C order or with strides, as in a put. May block on the disk. Throws
  // Error(usage), with names and shapes, if the source lacks the field or the target does not fit it.
  virtual void get(int field, const model::Tick& now, const Target& target) const = 0;
  // The model has begun a step.
  virtual void step(const model::Tick&) {}
  // The model has ended: drops what still arrives, without waiting. Returns true once nothing more comes.
  virtual bool drain() { return true; }
};

}  // namespace tailrace::client
