#include "dialects/monc/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tailrace::dialects::monc {
void Warnings::add(const Location& where, std::string_view what) {
  const auto found = known_.find(what);
  if (found != known_.end()) {
    entries_[found->second].second.push_back(where);
    return;
  }
  known_.emplace(what, entries_.size());
  entries_.push_back({std::string(what), {where}});
}

std::vector<std::string> Warnings::lines() const {
  std::vector<std::string> lines;
  for (const auto& [what, places] : entries_) {
    std::string line = fmt::format("{}  {}", places.front().text(), what);
    if (const std::size_t more = places.size() - 1; more > 0)
      line += fmt::format(" (and {} more place{})", more, more == 1 ? "" : "s");
    std::replace(line.begin(), line.end(), '\n', ' ');
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace tailrace::dialects::monc
