#include "pipeline/control/tree_place.hpp"

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "base/tree.hpp"

namespace tailrace::pipeline {

TreePlace::TreePlace(int own, int root, int servers) : server(own) {
  const base::Branch branch = base::branch_of((server - root + servers) % servers, servers);
  const auto server_at = [&](int place) { return (place + root) % servers; };
  if (branch.parent >= 0) parent = server_at(branch.parent);
  std::ranges::transform(branch.children, std::back_inserter(children), server_at);
}

std::size_t TreePlace::source_of(int from) const {
  if (from == server) return 0;
  const auto child = std::ranges::find(children, from);
  TAILRACE_ASSERT(child != children.end(), "a word on its way to the root comes from a server below");
  return static_cast<std::size_t>(child - children.begin()) + 1;
}

}  // namespace tailrace::pipeline
