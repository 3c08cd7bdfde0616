#include "model/message_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/utf8.hpp"

namespace tailrace::model {
namespace {

void expect(bool holds, const std::string& what) {
  if (!holds) throw Error(ErrorCode::internal, fmt::format("damaged message of the declarations: {}", what));
}

// The product times eight, in bytes; nothing if it overflows.
std::optional<std::int64_t> bytes_of(std::span<const std::int64_t> extents) {
  std::int64_t bytes = sizeof(double);
  for (const std::int64_t extent : extents)
    if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  return bytes;
}

class Check {
 public:
  Check(const Declarations& declarations, const Decomposition& decomposition)
      : declarations_(declarations), decomposition_(decomposition) {}

  void all(std::size_t ranks) const {
    expect(decomposition_.regions.size() == declarations_.grids.size(),
           fmt::format("{} grids, but regions of {}", declarations_.grids.size(),
                       decomposition_.regions.size()));
    for (const FurtherPart& part : decomposition_.further)
      expect(part.rank >= 0 && static_cast<std::size_t>(part.rank) < ranks,
             fmt::format("a part of rank {} of {}", part.rank, ranks));
    for (const Field& field : declarations_.fields)
      expect(field.grid >= 0 && field.grid < std::ssize(declarations_.grids),
             fmt::format("field \"{}\" is on grid number {}", base::quotable(field.name), field.grid));
    for (std::size_t g = 0; g < declarations_.grids.size(); ++g) {
      grid(declarations_.grids[g]);
      regions(declarations_.grids[g], decomposition_.regions[g], ranks + decomposition_.further.size());
    }
  }

 private:
  static std::string name_of(const Grid& grid) {
    return fmt::format("grid \"{}\"", base::quotable(grid.name));
  }

  void grid(const Grid& grid) const {
    expect(grid.dims.size() == grid.shape.size() && bytes_of(grid.shape) &&
               std::ranges::all_of(grid.shape, [](std::int64_t extent) { return extent > 0; }),
           name_of(grid) + " has an invalid shape");
    expect(grid.indexed_dim.empty() || std::ranges::count(grid.dims, grid.indexed_dim) == 1,
           name_of(grid) + " has no indexed dim");
    for (const Coordinate& one : grid.coordinates) coordinate(grid, one);
    if (grid.mesh) mesh(grid, *grid.mesh);
    if (grid.place) place(grid, *grid.place);
  }

  // The coordinate has its values, or a static field delivers them.
  void coordinate(const Grid& grid, const Coordinate& coordinate) const {
    const std::string what =
        fmt::format("{}: coordinate \"{}\"", name_of(grid), base::quotable(coordinate.name));
    std::vector<std::int64_t> extents;
    for (const std::string& dim : coordinate.dims) {
      const auto at = std::ranges::find(grid.dims, dim);
      expect(at != grid.dims.end(), what + " has a dim that its grid lacks");
      extents.push_back(grid.shape[base::index(at - grid.dims.begin())]);
    }
    const auto whole = bytes_of(extents);
    expect(whole.has_value(), what + " has an invalid shape");
    const std::int64_t values = *whole / static_cast<std::int64_t>(sizeof(double));
    if (coordinate.field) brings(*coordinate.field, extents, what);
    expect(std::ssize(coordinate.values) == values || (coordinate.field && coordinate.values.empty()),
           what + " has a number of values that does not fit its dims");
    expect(std::ssize(coordinate.bounds) % values == 0 && std::ssize(coordinate.bounds) != values,
           what + " has a number of bounds that does not fit its values");
    if (!coordinate.bounds_field) return;
    expect(coordinate.field && *coordinate.bounds_field >= 0 &&
               *coordinate.bounds_field < std::ssize(declarations_.fields),
           what + " has bounds in no field");
    const Field& bounds = declarations_.fields[base::index(*coordinate.bounds_field)];
    const auto& shape = declarations_.grids[base::index(bounds.grid)].shape;
    extents.push_back(shape.empty() ? 0 : shape.back());
    brings(*coordinate.bounds_field, extents, what);
  }

  void mesh(const Grid& grid, const Mesh& mesh) const {
    const std::string what = fmt::format("{}: mesh \"{}\"", name_of(grid), base::quotable(mesh.name));
    expect(grid.kind == GridKind::indexed && !grid.indexed_dim.empty(), what + " is on a grid without cells");
    const auto at = std::ranges::find(grid.dims, grid.indexed_dim) - grid.dims.begin();
    brings(mesh.node_x_field, {mesh.nodes}, what);
    brings(mesh.node_y_field, {mesh.nodes}, what);
    brings(mesh.connectivity_field, {grid.shape[base::index(at)], mesh.nodes_per_face}, what);
  }

  void place(const Grid& grid, const MeshPlace& place) const {
    const std::string what = name_of(grid) + ": its mesh";
    expect(place.grid >= 0 && place.grid < std::ssize(declarations_.grids) &&
               declarations_.grids[base::index(place.grid)].mesh && !grid.indexed_dim.empty(),
           what + " does not exist");
    if (place.element != MeshElement::edge) return;
    const auto at = std::ranges::find(grid.dims, grid.indexed_dim) - grid.dims.begin();
    brings(place.connectivity_field, {grid.shape[base::index(at)], 2}, what);
  }

  // A static field of these extents delivers the values.
  void brings(int field, const std::vector<std::int64_t>& extents, const std::string& what) const {
    expect(field >= 0 && field < std::ssize(declarations_.fields),
           fmt::format("{} is in field number {}", what, field));
    const Field& found = declarations_.fields[base::index(field)];
    expect(found.is_static && declarations_.grids[base::index(found.grid)].shape == extents,
           fmt::format("{} is not in field number {}", what, field));
  }

  static void regions(const Grid& grid, const Regions& regions, std::size_t parts) {
    expect(regions.size() == parts, fmt::format("{} has regions of {} ranks", name_of(grid), regions.size()));
    for (const Region& region : regions.distinct()) {
      const bool fits = region.rank() == grid.dims.size() && bytes_of(region.counts());
      expect(fits, name_of(grid) + " has a region whose shape does not fit the grid");
      for (std::size_t d = 0; d < region.rank(); ++d)
        for (const Run& run : region.runs(d))
          expect(run.start >= 0 && run.count >= 0 && run.count <= grid.shape[d] &&
                     run.start <= grid.shape[d] - run.count,
                 name_of(grid) + " has a region with cells outside");
    }
  }

  const Declarations& declarations_;
  const Decomposition& decomposition_;
};

}  // namespace

void check_message(const Declarations& declarations, const Decomposition& decomposition, std::size_t ranks) {
  Check(declarations, decomposition).all(ranks);
}

}  // namespace tailrace::model
