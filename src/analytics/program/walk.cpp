#include "analytics/program/walk.hpp"

#include "base/error.hpp"

namespace tailrace::analytics::program {

Walk::Walk(std::span<const std::int64_t> extents, std::span<const std::int64_t> strides) {
  TAILRACE_ASSERT(extents.size() <= most_dims, "a block has more dimensions than a program supports");
  extents_[0] = 1;
  strides_[0] = at_[0] = 0;
  std::size_t found = 0;
  for (std::size_t i = extents.size(); i-- > 0;) {
    if (extents[i] == 1) continue;
    if (found > 0 && strides[i] == strides_[found - 1] * extents_[found - 1]) {
      extents_[found - 1] *= extents[i];
      continue;
    }
    extents_[found] = extents[i];
    strides_[found] = strides[i];
    at_[found] = 0;
    ++found;
  }
  if (found > 0) dims_ = found;
}

void Walk::next_stretch() {
  at_[0] = 0;
  for (std::size_t dim = 1; dim < dims_; ++dim) {
    base_ += strides_[dim];
    if (++at_[dim] < extents_[dim]) return;
    base_ -= strides_[dim] * extents_[dim];
    at_[dim] = 0;
  }
}

}  // namespace tailrace::analytics::program
