#include "plan/naming/dim_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/index.hpp"
#include "model/field_index.hpp"

namespace tailrace::plan {
namespace {

using Names = std::vector<std::string>;

struct Extent {
  const model::Grid* grid = nullptr;
  std::int64_t cells = 0;
};

// The coordinate of the first declared grid with a dim of that name, preferably one that fits.
Extent declared_extent(const model::Declarations& declared, const std::string& dim, std::int64_t wanted) {
  Extent found;
  for (const model::Grid& grid : declared.grids) {
    const auto place = std::ranges::find(grid.dims, dim);
    if (place == grid.dims.end()) continue;
    const Extent here{&grid, grid.shape[base::index(place - grid.dims.begin())]};
    if (here.cells == wanted) return here;
    if (found.grid == nullptr) found = here;
  }
  return found;
}

void take_coordinate(const std::string& dim, std::int64_t cells, const model::Declarations& declared,
                     model::Grid& grid) {
  for (const model::Grid& other : declared.grids)
    for (const model::Coordinate& coordinate : other.coordinates)
      if (coordinate.name == dim && coordinate.dims == Names{dim} && std::ssize(coordinate.values) == cells) {
        grid.coordinates.push_back(coordinate);
        return;
      }
}

}  // namespace

std::optional<std::string> name_dims(const Names& names, const model::Declarations& declared,
                                     model::Grid& grid) {
  if (names.size() != grid.dims.size())
    return fmt::format("expected a name for each dimension of the result ({}), but got {}",
                       grid.dims.empty() ? "it has none" : fmt::format("{}", fmt::join(grid.dims, ", ")),
                       names.size());
  for (std::size_t d = 0; d < names.size(); ++d) {
    const Extent model = declared_extent(declared, names[d], grid.shape[d]);
    if (model.grid != nullptr && model.cells != grid.shape[d])
      return fmt::format("\"{}\" has {} cells on grid \"{}\", but this dimension of the result has {}",
                         names[d], model.cells, model.grid->name, grid.shape[d]);
  }
  for (std::size_t d = 0; d < names.size(); ++d) {
    if (names[d] == grid.dims[d]) continue;
    const std::string old = grid.dims[d];
    std::erase_if(grid.coordinates, [&](const auto& one) { return std::ranges::count(one.dims, old) > 0; });
    grid.dims[d] = names[d];
    take_coordinate(names[d], grid.shape[d], declared, grid);
  }
  return std::nullopt;
}

std::vector<std::string> unmet_dims(const std::vector<settings::FieldGroup>& groups,
                                    const model::Declarations& declared) {
  std::vector<std::string> lines;
  const model::FieldIndex index(declared);
  for (const settings::FieldGroup& group : groups) {
    if (group.dims.empty()) continue;
    for (const settings::ListedName& field : group.fields) {
      const auto found = index.find(field.name);
      if (!found) continue;
      const model::Grid& grid = declared.grids[base::index(declared.fields[base::index(*found)].grid)];
      if (grid.dims == group.dims) continue;
      lines.push_back(fmt::format(
          "{}  fields.{}.dims: the model has no grid ({}) with the cells of \"{}\", which keeps ({})",
          field.location.text(), group.name, fmt::join(group.dims, ", "), field.name,
          fmt::join(grid.dims, ", ")));
      break;
    }
  }
  return lines;
}

std::string unmet_coordinates(const settings::OutputEntry& file, const model::Declarations& declared) {
  Names unmet;
  for (const std::string& name : file.also_coordinates) {
    const auto has = [&](const model::Grid& grid) {
      return std::ranges::any_of(grid.coordinates, [&](const model::Coordinate& one) {
        return one.name == name && one.dims == Names{name} && !one.values.empty();
      });
    };
    if (std::ranges::none_of(declared.grids, has)) unmet.push_back(name);
  }
  if (unmet.empty()) return "";
  return fmt::format("{}  output.{}.also_coordinates: no grid of the model has values along {}",
                     file.also_coordinates_location.text(), file.path, fmt::join(unmet, ", "));
}

}  // namespace tailrace::plan
