#include "base/tree.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/error.hpp"

namespace tailrace::base {
namespace {

// Divides the ranks behind `begin` into even parts; the first rank of each part is a child.
std::vector<int> parts_behind(int begin, int end) {
  const std::int64_t below = end - begin - 1;
  const std::int64_t count = std::min<std::int64_t>(tree_width, below);
  std::vector<int> first;
  for (std::int64_t part = 0; part < count; ++part)
    first.push_back(begin + 1 + static_cast<int>(below * part / count));
  return first;
}

}  // namespace

Branch branch_of(int rank, int size) {
  TAILRACE_ASSERT(rank >= 0 && rank < size, "the rank is out of range");
  int parent = -1, begin = 0, end = size;
  for (;;) {
    std::vector<int> children = parts_behind(begin, end);
    if (begin == rank) return {parent, std::move(children), end};
    const auto next = std::upper_bound(children.begin(), children.end(), rank);
    parent = begin;
    begin = *(next - 1);
    if (next != children.end()) end = *next;
  }
}

}  // namespace tailrace::base
