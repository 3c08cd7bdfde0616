#include "plan/naming/cell_methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "analytics/planning/blocks.hpp"

namespace tailrace::plan {
namespace {

using Grids = std::vector<const model::Grid*>;

constexpr std::array<std::string_view, 3> eastward{"longitude", "projection_x_coordinate", "grid_longitude"};
constexpr std::array<std::string_view, 3> northward{"latitude", "projection_y_coordinate", "grid_latitude"};

bool contains(const std::array<std::string_view, 3>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

const model::Coordinate* own_coordinate(const Grids& grids, const std::string& dim) {
  for (const model::Grid* grid : grids)
    for (const model::Coordinate& coordinate : grid->coordinates)
      if (coordinate.name == dim && coordinate.dims == std::vector{dim}) return &coordinate;
  return nullptr;
}

enum class Part { none, east, north, both };

Part part_of(const model::Coordinate& coordinate) {
  const std::string axis = model::text_of(coordinate.attributes, "axis");
  if (axis == "X" || contains(eastward, coordinate.standard_name)) return Part::east;
  if (axis == "Y" || contains(northward, coordinate.standard_name)) return Part::north;
  return Part::none;
}

// The horizontal directions that a dim spans; one dim of an unstructured grid spans both.
Part part_of(const Grids& grids, const std::string& dim) {
  if (const model::Coordinate* own = own_coordinate(grids, dim)) return part_of(*own);
  bool east = false, north = false;
  for (const model::Grid* grid : grids) {
    if (grid->mesh && grid->indexed_dim == dim) return Part::both;
    for (const model::Coordinate& coordinate : grid->coordinates) {
      if (coordinate.dims != std::vector{dim}) continue;
      east = east || contains(eastward, coordinate.standard_name);
      north = north || contains(northward, coordinate.standard_name);
    }
  }
  return east && north ? Part::both : Part::none;
}

// Pairs of dims with two-dimensional coordinates: lat(y, x).
bool spanned_by_coordinates(const Grids& grids, const std::string& a, const std::string& b) {
  for (const model::Grid* grid : grids)
    for (const model::Coordinate& coordinate : grid->coordinates)
      if ((coordinate.dims == std::vector{a, b} || coordinate.dims == std::vector{b, a}) &&
          (contains(eastward, coordinate.standard_name) || contains(northward, coordinate.standard_name)))
        return true;
  return false;
}

bool is_plane(const Grids& grids, const std::string& a, const std::string& b) {
  const Part first = part_of(grids, a), second = part_of(grids, b);
  return (first == Part::east && second == Part::north) || (first == Part::north && second == Part::east) ||
         spanned_by_coordinates(grids, a, b);
}

// Removes the dims of the horizontal plane from `dims`.
bool take_plane(const Grids& grids, std::vector<std::string>& dims) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (part_of(grids, dims[i]) == Part::both) {
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
    for (std::size_t j = i + 1; j < dims.size(); ++j) {
      if (!is_plane(grids, dims[i], dims[j])) continue;
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(j));
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
  }
  return false;
}

std::optional<std::string> words_of(const analytics::Reduced& one, const Grids& grids) {
  std::vector<std::string> dims = one.dims;
  std::erase(dims, std::string(analytics::rank_dim));
  std::string words;
  if (take_plane(grids, dims)) words = "area: ";
  for (const std::string& dim : dims) {
    const model::Coordinate* own = own_coordinate(grids, dim);
    if (own == nullptr || own->standard_name.empty()) return std::nullopt;
    words += own->standard_name + ": ";
  }
  return words.empty() ? words : words + one.method;
}

}  // namespace

bool is_horizontal(const model::Coordinate& coordinate) {
  return contains(eastward, coordinate.standard_name) || contains(northward, coordinate.standard_name);
}

std::string cell_methods_of(const std::vector<analytics::Reduced>& reduced, const Grids& grids) {
  std::string all;
  for (const analytics::Reduced& one : reduced) {
    const auto words = words_of(one, grids);
    if (!words) return "";
    if (!all.empty() && !words->empty()) all += " ";
    all += *words;
  }
  return all;
}

}  // namespace tailrace::plan
