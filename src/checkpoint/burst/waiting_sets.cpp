#include "checkpoint/burst/waiting_sets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "checkpoint/burst/buffer.hpp"

namespace tailrace::checkpoint {

std::vector<FoundSet> sets_on_nodes(env::FileSystem& files, const std::string& sets) {
  std::vector<FoundSet> found = find_sets(files, sets);
  std::erase_if(found, [](const FoundSet& set) { return set.state != FoundSet::State::on_nodes; });
  std::ranges::reverse(found);
  return found;
}

std::vector<std::string> drain_what_is_here(env::FileSystem& files, const FoundSet& set) {
  std::vector<std::string> faults;
  for (const Member& member : set.manifest.members) {
    try {
      drain_member(files, member, set.path);
    } catch (const Error& error) {
      faults.push_back(fmt::format("checkpoint {}: {}", set.path, error.what()));
    }
  }
  return faults;
}

bool commit_if_whole(env::FileSystem& files, SetStore& store, const FoundSet& set) {
  if (!describe_waiting(files, set.path, set.manifest.members).empty()) return false;
  store.commit(set.manifest);
  return true;
}

}  // namespace tailrace::checkpoint
