#include "config/problems.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "tailrace/error.hpp"

namespace tailrace::config {

namespace {

std::string line_of(const Location& where, std::string_view path, std::string_view what) {
  const std::string place = where.text();
  std::string line =
      fmt::format("{}{}{}{}{}", place, place.empty() ? "" : "  ", path, path.empty() ? "" : ": ", what);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

}  // namespace

void Problems::add(const Location& where, std::string_view path, std::string_view what) {
  entries_.push_back({where, std::string(path), line_of(where, path, what)});
}

void Problems::note(const Location& where, std::string_view path, std::string_view what) {
  notes_.push_back(line_of(where, path, what));
}

bool Problems::touch(std::string_view path) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    if (!entry.path.starts_with(path)) return false;
    return entry.path.size() == path.size() || entry.path[path.size()] == '.' ||
           entry.path[path.size()] == '[';
  });
}

std::string Problems::text() const {
  std::map<std::string, std::size_t> order;  // of files, by their first problem
  for (const Entry& entry : entries_) order.try_emplace(entry.where.file, order.size());
  std::vector<Entry> sorted = entries_;
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Entry& a, const Entry& b) {
    return std::tuple(order.at(a.where.file), a.where.line, a.where.column) <
           std::tuple(order.at(b.where.file), b.where.line, b.where.column);
  });
  std::vector<std::string> lines;
  std::set<std::string> told;
  for (const Entry& entry : sorted)
    if (told.insert(entry.line).second) lines.push_back(entry.line);
  return fmt::format("{}", fmt::join(lines, "\n"));
}

void Problems::throw_if_any() const {
  if (!entries_.empty()) throw Error(ErrorCode::configuration, text());
}

}  // namespace tailrace::config
