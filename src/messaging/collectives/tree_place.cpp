#include "messaging/collectives/tree_place.hpp"

#include <algorithm>
#include <cstdint>

#include "base/error.hpp"

namespace tailrace::messaging {
namespace {

// Splits the ranks behind `begin` into even parts; the first rank of each part is a child.
std::vector<int> parts_behind(int begin, int end) {
  const std::int64_t below = end - begin - 1;
  const std::int64_t count = std::min<std::int64_t>(tree_width, below);
  std::vector<int> first;
  for (std::int64_t part = 0; part < count; ++part)
    first.push_back(begin + 1 + static_cast<int>(below * part / count));
  return first;
}

}  // namespace

TreePlace::TreePlace(int own, int size, int root) : rank(own), end(size) {
  TAILRACE_ASSERT(own >= 0 && own < size && root >= 0 && root < size, "a rank is one of them");
  const int place = (own - root + size) % size;
  int above = -1, begin = 0;
  for (children = parts_behind(0, end); begin != place; children = parts_behind(begin, end)) {
    const auto next = std::upper_bound(children.begin(), children.end(), place);
    above = begin;
    begin = *(next - 1);
    if (next != children.end()) end = *next;
  }
  const auto rank_at = [&](int at) { return (at + root) % size; };
  if (above >= 0) parent = rank_at(above);
  std::ranges::transform(children, children.begin(), rank_at);
}

std::size_t TreePlace::source_of(int from) const {
  if (from == rank) return 0;
  const auto child = std::ranges::find(children, from);
  TAILRACE_ASSERT(child != children.end(), "a message on its way to the root comes from a rank below");
  return static_cast<std::size_t>(child - children.begin()) + 1;
}

}  // namespace tailrace::messaging
