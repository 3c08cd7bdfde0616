// Goes over a block in C order and says where in some other array each cell lies, a straight stretch at a
// time.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace tailrace::analytics::program {

inline constexpr std::size_t most_dims = 16;

class Walk {
 public:
  // The block's extents, none 0, and how many elements apart neighbours along each dimension lie in the other
  // array; 0 for dimensions it lacks. Dimensions that make one straight stretch are taken together.
  Walk(std::span<const std::int64_t> extents, std::span<const std::int64_t> strides);

  std::int64_t index() const { return base_ + at_[0] * strides_[0]; }  // of the present cell
  std::int64_t stride() const { return strides_[0]; }                  // to the next ones
  std::int64_t left() const { return extents_[0] - at_[0]; }           // cells to the end of the stretch
  std::int64_t stretch() const { return extents_[0]; }
  void advance(std::int64_t cells) {  // not past the end of the stretch
    at_[0] += cells;
    if (at_[0] == extents_[0]) next_stretch();
  }

 private:
  void next_stretch();

  // Fastest first. What lies behind dims_ is never written: blocks of a few cells have many short walks.
  std::array<std::int64_t, most_dims> extents_;
  std::array<std::int64_t, most_dims> strides_;
  std::array<std::int64_t, most_dims> at_;
  std::size_t dims_ = 1;
  std::int64_t base_ = 0;
};

}  // namespace tailrace::analytics::program
