#include "analytics/shape.hpp"

#include <algorithm>

namespace tailrace::analytics {

bool Shape::is_local() const {
  return std::any_of(dims.begin(), dims.end(), [](const Dim& dim) { return dim.split; });
}

std::int64_t Shape::size() const {
  std::int64_t cells = 1;
  for (const Dim& dim : dims) cells *= dim.extent;
  return cells;
}

std::optional<std::size_t> Shape::find(std::string_view dim) const {
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (dims[i].name == dim) return i;
  return std::nullopt;
}

}  // namespace tailrace::analytics
