#include "input/regridding/source_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::input {
namespace {

// The index of a cell along a dim.
std::int64_t index_along(std::int64_t cell, std::size_t dim, const std::vector<std::int64_t>& shape) {
  if (shape.size() == 1) return cell;
  return dim == 0 ? cell / shape[1] : cell % shape[1];
}

}  // namespace

SourceRows source_rows_of(const regrid::Rows& rows, const std::vector<std::int64_t>& shape) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  SourceRows result;
  std::vector<std::vector<std::int32_t>> place(shape.size());  // by index along the dim
  std::size_t combinations = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::vector<bool> is_used(base::index(shape[d]), false);
    for (const std::int64_t cell : rows.source) is_used[base::index(index_along(cell, d, shape))] = true;
    std::vector<std::int64_t>& used = result.used.emplace_back();
    place[d].resize(is_used.size());
    for (std::size_t i = 0; i < is_used.size(); ++i) {
      if (!is_used[i]) continue;
      place[d][i] = static_cast<std::int32_t>(used.size());
      used.push_back(static_cast<std::int64_t>(i));
    }
    combinations *= used.size();
  }
  if (combinations > most)
    throw Error(ErrorCode::resource,
                fmt::format("{} cells are needed of the file; expected at most {}", combinations, most));
  result.rows.start = rows.start;
  result.rows.weight = rows.weight;
  result.rows.source.reserve(rows.source.size());
  for (const std::int64_t cell : rows.source) {
    std::int32_t at = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
      at = at * static_cast<std::int32_t>(result.used[d].size()) +
           place[d][base::index(index_along(cell, d, shape))];
    result.rows.source.push_back(at);
  }
  result.rows.prepare();
  return result;
}

}  // namespace tailrace::input
