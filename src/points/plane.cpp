#include "points/plane.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "model/directions.hpp"

namespace tailrace::points {
namespace {

bool stands_for(const model::Coordinate& coordinate, const std::string& wanted) {
  if (wanted == "latitude") return model::is_latitude(coordinate);
  if (wanted == "longitude") return model::is_longitude(coordinate);
  return coordinate.standard_name == wanted;
}

const model::Coordinate* find(const model::Grid& grid, const std::string& wanted) {
  const auto is_place = [](const model::Coordinate& one) { return one.measure.empty() && !one.dims.empty(); };
  for (const model::Coordinate& one : grid.coordinates)
    if (is_place(one) && one.name == wanted) return &one;
  for (const model::Coordinate& one : grid.coordinates)
    if (is_place(one) && stands_for(one, wanted)) return &one;
  return nullptr;
}

}  // namespace

std::optional<Plane> plane_of(const model::Grid& grid, const std::vector<std::string>& coordinates) {
  Plane plane{{find(grid, coordinates.at(0)), find(grid, coordinates.at(1))}, {}, false, -1};
  const auto& [first, second] = plane.at;
  if (first == nullptr || second == nullptr || first == second) return std::nullopt;
  plane.by_dim = first->dims.size() == 1 && second->dims.size() == 1 && first->dims != second->dims;
  if (!plane.by_dim && first->dims != second->dims) return std::nullopt;
  for (std::size_t d = 0; d < grid.dims.size(); ++d)
    if (std::ranges::count(first->dims, grid.dims[d]) + std::ranges::count(second->dims, grid.dims[d]) > 0)
      plane.dims.push_back(d);
  for (int i = 0; i < 2; ++i)
    if (model::is_longitude(*plane.at[base::index(i)]) && model::is_latitude(*plane.at[base::index(1 - i)]))
      plane.longitude = i;
  return plane;
}

bool may_have_plane(const model::Grid& grid) {
  const auto is_upright = [&](const std::string& dim) {
    return std::ranges::any_of(grid.coordinates, [&](const model::Coordinate& one) {
      return one.dims == std::vector{dim} && model::is_vertical(one);
    });
  };
  const auto flat = std::ssize(grid.dims) - std::ranges::count_if(grid.dims, is_upright);
  return !grid.indexed_dim.empty() || flat >= 2;
}

}  // namespace tailrace::points
