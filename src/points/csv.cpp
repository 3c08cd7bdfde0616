#include "points/csv.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"

namespace tailrace::points {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<Cell> cells_of(std::string_view line, config::Location at) {
  std::vector<Cell> cells;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    const std::size_t begin = std::min(line.find_first_not_of(" \t", i), line.size());
    at.column = static_cast<int>(begin) + 1;
    Cell cell{"", at};
    if (begin < line.size() && line[begin] == '"') {
      for (i = begin + 1; i < line.size(); ++i) {
        if (line[i] == '"' && (i + 1 == line.size() || line[++i] != '"')) break;
        cell.text += line[i];
      }
      i = std::min(line.find(',', i), line.size());
    } else {
      const std::size_t end = std::min(line.find(',', i), line.size());
      cell.text = trimmed(line.substr(i, end - i));
      i = end;
    }
    cells.push_back(std::move(cell));
  }
  return cells;
}

}  // namespace

bool read_rows(const std::string& name, std::string_view text, const std::string& path,
               config::Problems& problems, const std::function<bool(std::vector<Cell>&)>& take) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark, which some editors write
  config::Location at{name, 0, 1};
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++at.line;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (trimmed(line).empty() || trimmed(line).starts_with('#')) continue;
    if (const std::size_t valid = base::valid_utf8(line); valid < line.size()) {
      at.column = static_cast<int>(valid) + 1;
      problems.add(at, path, "expected text in UTF-8");
      return false;
    }
    std::vector<Cell> cells = cells_of(line, at);
    if (!take(cells)) return false;
  }
  return true;
}

}  // namespace tailrace::points
