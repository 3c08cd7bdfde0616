#include <algorithm>
#include <fstream>
#include <sstream>

#include "env/node_memory.hpp"

namespace tailrace::env {
namespace {

// Nothing for "max", which means no limit.
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

// Reads an entry of a file with a name and a number in each line.
std::optional<std::uint64_t> entry_in(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first;
    std::uint64_t number = 0;
    if (words >> first >> number && first == name) return number;
  }
  return std::nullopt;
}

// The names of files in control groups, for version 2 and version 1.
struct Names {
  const char *limit, *used, *reclaimable;
};
constexpr Names unified{"memory.max", "memory.current", "inactive_file"};
constexpr Names legacy{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};

std::optional<std::uint64_t> left_of_group(const std::string& folder, const Names& names) {
  const auto limit = number_in(folder + "/" + names.limit);
  const auto used = number_in(folder + "/" + names.used);
  if (!limit || !used) return std::nullopt;
  const std::uint64_t freed = entry_in(folder + "/memory.stat", names.reclaimable).value_or(0);
  const std::uint64_t taken = *used - std::min(*used, freed);
  return *limit - std::min(*limit, taken);
}

void take_least(std::optional<std::uint64_t>& least, const std::optional<std::uint64_t>& one) {
  if (one) least = least ? std::min(*least, *one) : one;
}

// Looks at the group and all its ancestors.
void look_at_groups(std::optional<std::uint64_t>& least, const std::string& mount, std::string group,
                    const Names& names) {
  for (;;) {
    take_least(least, left_of_group(mount + group, names));
    const auto slash = group.rfind('/');
    if (slash == std::string::npos || group.empty()) return;
    group.resize(slash);
  }
}

// Whether `memory` is in the list, which is separated by commas.
bool names_memory(const std::string& controllers) {
  std::istringstream list(controllers);
  for (std::string one; std::getline(list, one, ',');)
    if (one == "memory") return true;
  return false;
}

}  // namespace

std::optional<std::uint64_t> memory_left(const std::string& root) {
  std::optional<std::uint64_t> least;
  if (const auto kib = entry_in(root + "/proc/meminfo", "MemAvailable:")) least = *kib << 10;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // number:controllers:/group
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1) == "/" ? "" : line.substr(second + 1);
    if (controllers.empty())
      look_at_groups(least, root + "/sys/fs/cgroup", group, unified);
    else if (names_memory(controllers))
      look_at_groups(least, root + "/sys/fs/cgroup/memory", group, legacy);
  }
  return least;
}

}  // namespace tailrace::env
