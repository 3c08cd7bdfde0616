// Iterates over a block in C order, and gives the index of each cell in another array with other strides, one
// contiguous stretch at a time.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace tailrace::analytics::program {

inline constexpr std::size_t most_dims = 16;

class Walk {
 public:
  // `extents`: of the block, none 0. `strides`: of the other array along each dimension, in elements; 0 for
  // dimensions that it lacks. Dimensions that form one contiguous stretch are merged.
  Walk(std::span<const std::int64_t> extents, std::span<const std::int64_t> strides);

  std::int64_t index() const { return base_ + at_[0] * strides_[0]; }  // of the current cell
  std::int64_t stride() const { return strides_[0]; }                  // between cells of the stretch
  std::int64_t left() const { return extents_[0] - at_[0]; }           // cells to the end of the stretch
  std::int64_t stretch() const { return extents_[0]; }
  void advance(std::int64_t cells) {  // not past the end of the stretch
    at_[0] += cells;
    if (at_[0] == extents_[0]) next_stretch();
  }

 private:
  void next_stretch();

  // Fastest first. Entries from dims_ on are not initialised, which would cost too much for the many short
  // walks of small blocks.
  std::array<std::int64_t, most_dims> extents_;
  std::array<std::int64_t, most_dims> strides_;
  std::array<std::int64_t, most_dims> at_;
  std::size_t dims_ = 1;
  std::int64_t base_ = 0;
};

}  // namespace tailrace::analytics::program
