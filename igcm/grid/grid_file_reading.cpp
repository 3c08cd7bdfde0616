#include "arrays.hpp"
#include "grid_file.hpp"
#include "netcdf_file.hpp"

namespace igcm::grid {
namespace {

template <class Value>
Value choice(const NetcdfFile& file, const char* attribute,
             std::initializer_list<std::pair<const char*, Value>> known) {
  const std::string text = file.text_attribute(attribute);
  std::string names;
  for (const auto& [name, value] : known) {
    if (text == name) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  throw std::runtime_error(file.path() + ": attribute " + attribute + ": '" + text +
                           "' is unknown (known: " + names + ")");
}

GridOptions options_of(const NetcdfFile& file) {
  GridOptions grid;
  grid.points.root = static_cast<int>(file.number_attribute("grid_root"));
  grid.points.bisections = static_cast<int>(file.number_attribute("grid_level"));
  grid.points.relaxation = choice<Relaxation>(
      file, "relaxation",
      {{"none", Relaxation::none}, {"spring", Relaxation::spring}, {"centroidal", Relaxation::centroidal}});
  grid.points.iterations = static_cast<int>(file.number_attribute("relaxation_iterations"));
  grid.points.spring_length = file.number_attribute("spring_length");
  grid.centre = choice<Centre>(file, "cell_centre_is",
                               {{"circumcentre", Centre::circumcentre}, {"centroid", Centre::centroid}});
  grid.radius = file.number_attribute("sphere_radius");
  return grid;
}

}  // namespace

GridOptions read_options(const std::string& path) { return options_of(NetcdfFile::open(path)); }

Grid read_grid(const std::string& path, std::int64_t first, std::int64_t last) {
  const NetcdfFile file = NetcdfFile::open(path);
  Grid grid;
  grid.options = options_of(file);
  const std::int64_t side = grid.options.points.side(), rhombi = 10 * side * side;
  if (last < 0) last = rhombi;
  if (first < 0 || first > last || last > rhombi)
    throw std::out_of_range(path + ": a range of vertices beyond the sphere");
  grid.all_cells = 2 * rhombi;
  grid.all_edges = 3 * rhombi;
  grid.all_vertices = rhombi + 2;
  grid.first_cell = 2 * first;
  grid.first_edge = 3 * first;
  grid.first_vertex = first;
  resize_arrays(grid, 2 * (last - first), 3 * (last - first),
                last == rhombi ? last - first + 2 : last - first);
  for_each_array(grid, [&](const std::string& name, char where, auto array) {
    const std::int64_t begin = where == 'c'   ? grid.first_cell
                               : where == 'e' ? grid.first_edge
                                              : grid.first_vertex;
    const std::size_t start[] = {static_cast<std::size_t>(begin), 0};
    const std::size_t count[] = {static_cast<std::size_t>(array.length),
                                 static_cast<std::size_t>(array.width)};
    file.check(nc_get_vara(file.id(), file.variable(name), start, count, array.data), "variable " + name);
  });
  return grid;
}

}  // namespace igcm::grid
