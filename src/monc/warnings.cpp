#include "monc/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tailrace::monc {
namespace {

constexpr std::size_t most_places = 5;

}  // namespace

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
    const std::size_t told = std::min(places.size(), most_places);
    for (std::size_t i = 1; i < told; ++i)
      line += fmt::format("{}{}", i == 1 ? " (also at " : ", ", places[i].text());
    if (places.size() > told) line += fmt::format(" and {} more", places.size() - told);
    if (told > 1) line += ')';
    std::replace(line.begin(), line.end(), '\n', ' ');
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace tailrace::monc
