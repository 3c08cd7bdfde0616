#include "grid_file.hpp"

#include <algorithm>
#include <future>
#include <map>
#include <numbers>

#include "arrays.hpp"
#include "netcdf_file.hpp"
#include "new_file.hpp"
#include "unfinished_file.hpp"

namespace igcm::grid {
namespace {

constexpr std::int64_t vertices_of_a_range = 131072;

struct Description {
  const char* long_name;
  const char* units = nullptr;
  const char* axis = nullptr;  // name of its second dimension
};

const std::map<std::string, Description> descriptions{
    {"vertex_of_cell", {"vertices of each cell, counter-clockwise", nullptr, "corner"}},
    {"edge_of_cell", {"edges of each cell, counter-clockwise", nullptr, "corner"}},
    {"neighbor_cell_index", {"cells behind the edges of each cell", nullptr, "corner"}},
    {"orientation_of_normal",
     {"1 where the primal normal of an edge points out of the cell, else -1", "1", "corner"}},
    {"cell_centre", {"position of the centre of the cell on the unit sphere", "1", "xyz"}},
    {"cell_area", {"area of the triangular cell", "m2"}},
    {"kite_area", {"area of the part of the cell that is nearest to its vertex", "m2", "corner"}},
    {"edge_vertices", {"vertices at the ends of each edge", nullptr, "end"}},
    {"adjacent_cell_of_edge", {"cells to the left and the right of each edge", nullptr, "end"}},
    {"edge_point", {"position of the crossing of edge and dual edge on the unit sphere", "1", "xyz"}},
    {"primal_normal", {"unit vector normal to the edge, from its first to its second cell", "1", "xyz"}},
    {"dual_normal", {"unit vector normal to the dual edge, from its first to its second vertex", "1", "xyz"}},
    {"edge_length", {"length of the edge", "m"}},
    {"dual_edge_length", {"length of the dual edge between the centres of two cells", "m"}},
    {"degree", {"number of neighbours of the vertex", "1"}},
    {"vertices_of_vertex", {"neighbours of each vertex, counter-clockwise", nullptr, "neighbour"}},
    {"edges_of_vertex", {"edges that lead to the neighbours of each vertex", nullptr, "neighbour"}},
    {"cells_of_vertex", {"cells around each vertex, counter-clockwise", nullptr, "neighbour"}},
    {"edge_orientation", {"1 where the edge begins at the vertex, -1 where it ends there", "1", "neighbour"}},
    {"vertex", {"position of the vertex on the unit sphere", "1", "xyz"}},
    {"dual_area", {"area of the hexagon or pentagon around the vertex", "m2"}},
};

std::string dimension_of(char where) { return where == 'c' ? "cell" : where == 'e' ? "edge" : "vertex"; }

// Names of UGRID for them, in each of the two meshes.
std::string location_of(char where, Mesh mesh) {
  if (where == 'e') return "edge";
  return (where == 'c') == (mesh == Mesh::triangles) ? "face" : "node";
}

using Roles = std::map<std::string, std::string>;
const Roles& roles_of(Mesh mesh) {
  static const Roles triangles{{"vertex_of_cell", "face_node_connectivity"},
                               {"edge_of_cell", "face_edge_connectivity"},
                               {"neighbor_cell_index", "face_face_connectivity"},
                               {"edge_vertices", "edge_node_connectivity"},
                               {"adjacent_cell_of_edge", "edge_face_connectivity"}};
  static const Roles hexagons{{"cells_of_vertex", "face_node_connectivity"},
                              {"edges_of_vertex", "face_edge_connectivity"},
                              {"vertices_of_vertex", "face_face_connectivity"},
                              {"adjacent_cell_of_edge", "edge_node_connectivity"},
                              {"edge_vertices", "edge_face_connectivity"}};
  return mesh == Mesh::triangles ? triangles : hexagons;
}

std::vector<double> in_degrees(const std::vector<Vec3>& positions, bool lon) {
  std::vector<double> degrees;
  degrees.reserve(positions.size());
  for (const Vec3& p : positions)
    degrees.push_back((lon ? longitude(p) : latitude(p)) * (180 / std::numbers::pi));
  return degrees;
}

class GridWriter {
 public:
  GridWriter(const std::string& path, const GridOptions& grid, const FileOptions& options,
             std::int64_t rhombi)
      : options_(options), file_(NetcdfFile::create(path)) {
    int old = 0;
    file_.check(nc_set_fill(file_.id(), NC_NOFILL, &old), "cannot be set up");
    define_dimensions(rhombi);
    define_mesh();
    for (const char where : {'v', 'e', 'c'}) define_coordinates(where);
    Grid none;
    for_each_array(none, [&](const std::string& name, char where, auto array) {
      if (is_written(name)) define_array(name, where, array);
    });
    define_attributes(grid);
    file_.check(nc_enddef(file_.id()), "its header cannot be written");
  }

  void write(Grid& range) {
    for_each_array(range, [&](const std::string& name, char where, auto array) {
      if (is_written(name)) put(name, first_of(range, where), array);
    });
    write_coordinates('v', range.first_vertex, range.vertex);
    write_coordinates('e', range.first_edge, range.edge_point);
    write_coordinates('c', range.first_cell, range.cell_centre);
    if (!options_.only_mesh) write_bounds(range);
  }

  // Positions of the corners of the faces of the range that is written next.
  void take_corners(const Sphere& sphere, const Grid& range) {
    if (options_.only_mesh) return;
    corners_.clear();
    if (options_.mesh == Mesh::triangles) {
      for (const auto& cell : range.vertex_of_cell)
        for (const std::int32_t vertex : cell) corners_.push_back(sphere.vertex(vertex));
      return;
    }
    for (std::size_t v = 0; v < range.cells_of_vertex.size(); ++v)
      for (int k = 0; k < 6; ++k) {
        const std::int32_t cell =
            range.cells_of_vertex[v][static_cast<std::size_t>(std::min<int>(k, range.degree[v] - 1))];
        corners_.push_back(sphere.cell_centre({sphere.numbering().place(cell / 2), cell % 2}));
      }
  }

  void close() { file_.close(); }

 private:
  bool is_face(char where) const { return location_of(where, options_.mesh) == "face"; }
  bool is_written(const std::string& name) const {
    const char* area = options_.mesh == Mesh::triangles ? "cell_area" : "dual_area";
    return !options_.only_mesh || name == area || roles_of(options_.mesh).contains(name);
  }
  static std::int64_t first_of(const Grid& range, char where) {
    return where == 'c' ? range.first_cell : where == 'e' ? range.first_edge : range.first_vertex;
  }
  const char* corners() const { return options_.mesh == Mesh::triangles ? "corner" : "neighbour"; }

  void define_dimensions(std::int64_t rhombi) {
    file_.define_dimension("cell", 2 * rhombi);
    file_.define_dimension("edge", 3 * rhombi);
    file_.define_dimension("vertex", rhombi + 2);
    file_.define_dimension("corner", 3);
    file_.define_dimension("end", 2);
    file_.define_dimension("neighbour", 6);
    file_.define_dimension("xyz", 3);
  }

  void define_mesh() {
    const int mesh = file_.define("mesh", NC_INT, {});
    const bool triangles = options_.mesh == Mesh::triangles;
    file_.attribute(mesh, "cf_role", std::string("mesh_topology"));
    file_.attribute(
        mesh, "long_name",
        std::string(triangles ? "triangles" : "hexagons and twelve pentagons") + " of an icosahedral grid");
    file_.attribute(mesh, "topology_dimension", std::int32_t{2});
    for (const char where : {'v', 'e', 'c'}) {
      const std::string location = location_of(where, options_.mesh);
      file_.attribute(mesh, (location + "_coordinates").c_str(),
                      coordinate(where, "lon") + " " + coordinate(where, "lat"));
      if (location != "node") file_.attribute(mesh, (location + "_dimension").c_str(), dimension_of(where));
    }
    for (const auto& [name, role] : roles_of(options_.mesh)) file_.attribute(mesh, role.c_str(), name);
  }

  static std::string coordinate(char where, const char* which) { return std::string(1, where) + which; }

  void define_coordinates(char where) {
    for (const bool lon : {true, false}) {
      const std::string name = coordinate(where, lon ? "lon" : "lat");
      const int variable = file_.define(name, NC_DOUBLE, {dimension_of(where)});
      file_.attribute(variable, "standard_name", std::string(lon ? "longitude" : "latitude"));
      file_.attribute(variable, "long_name",
                      std::string(lon ? "longitude" : "latitude") + " of the " +
                          (where == 'c'   ? "centre of the cell"
                           : where == 'e' ? "middle of the edge"
                                          : "vertex"));
      file_.attribute(variable, "units", std::string(lon ? "degrees_east" : "degrees_north"));
      if (!is_face(where) || options_.only_mesh) continue;
      file_.attribute(variable, "bounds", name + "_vertices");
      file_.define(name + "_vertices", NC_DOUBLE, {dimension_of(where), corners()});
    }
  }

  template <class Number>
  void define_array(const std::string& name, char where, const Flat<Number>& array) {
    const Description& about = descriptions.at(name);
    std::vector<std::string> dimensions{dimension_of(where)};
    if (array.width > 1) dimensions.emplace_back(about.axis);
    const int variable = file_.define(name, type_of(array.data), dimensions);
    file_.attribute(variable, "long_name", std::string(about.long_name));
    const auto role = roles_of(options_.mesh).find(name);
    if (about.units) {
      file_.attribute(variable, "units", std::string(about.units));
      file_.attribute(variable, "mesh", std::string("mesh"));
      file_.attribute(variable, "location", location_of(where, options_.mesh));
      // Programs that know no UGRID, such as CDO, take what has coordinates for a field of one value a cell.
      if (array.width == 1)
        file_.attribute(variable, "coordinates", coordinate(where, "lat") + " " + coordinate(where, "lon"));
    } else {
      file_.attribute(variable, "start_index", std::int32_t{0});
      if (role != roles_of(options_.mesh).end()) file_.attribute(variable, "cf_role", role->second);
      if (where == 'v') file_.attribute(variable, "_FillValue", std::int32_t{-1});
    }
    if (name == "cell_area" || name == "dual_area")
      file_.attribute(variable, "standard_name", std::string("cell_area"));
  }

  void define_attributes(const GridOptions& grid) {
    static constexpr const char* relaxations[] = {"none", "spring", "centroidal"};
    const PointOptions& points = grid.points;
    const auto text = [&](const char* name, const std::string& value) {
      file_.attribute(NC_GLOBAL, name, value);
    };
    text("Conventions", "CF-1.11 UGRID-1.0");
    text("title",
         "icosahedral grid R" + std::to_string(points.root) + "B" + std::to_string(points.bisections));
    file_.attribute(NC_GLOBAL, "grid_root", std::int32_t{points.root});
    file_.attribute(NC_GLOBAL, "grid_level", std::int32_t{points.bisections});
    text("relaxation", relaxations[static_cast<int>(points.relaxation)]);
    file_.attribute(NC_GLOBAL, "relaxation_iterations", std::int32_t{points.iterations});
    file_.attribute(NC_GLOBAL, "spring_length", points.spring_length);
    text("cell_centre_is", grid.centre == Centre::circumcentre ? "circumcentre" : "centroid");
    file_.attribute(NC_GLOBAL, "sphere_radius", grid.radius);
    text("contents", options_.only_mesh ? "mesh" : "grid");
  }

  template <class Number>
  void put(const std::string& name, std::int64_t first, const Flat<Number>& array) {
    const std::size_t start[] = {static_cast<std::size_t>(first), 0};
    const std::size_t count[] = {static_cast<std::size_t>(array.length),
                                 static_cast<std::size_t>(array.width)};
    file_.check(nc_put_vara(file_.id(), file_.variable(name), start, count, array.data), "variable " + name);
  }

  void write_coordinates(char where, std::int64_t first, const std::vector<Vec3>& positions) {
    for (const bool lon : {true, false}) {
      std::vector<double> degrees = in_degrees(positions, lon);
      put(coordinate(where, lon ? "lon" : "lat"), first, flat<double>(degrees));
    }
  }

  // Corners of the faces; that of a pentagon which is missing repeats its last one.
  void write_bounds(const Grid& range) {
    const bool triangles = options_.mesh == Mesh::triangles;
    const char where = triangles ? 'c' : 'v';
    const std::int64_t faces = triangles ? range.cells() : range.vertices();
    const std::int64_t width = triangles ? 3 : 6;
    for (const bool lon : {true, false}) {
      std::vector<double> degrees = in_degrees(corners_, lon);
      const Flat<double> array{degrees.data(), faces, width};
      put(coordinate(where, lon ? "lon" : "lat") + "_vertices", first_of(range, where), array);
    }
  }

  FileOptions options_;
  NetcdfFile file_;
  std::vector<Vec3> corners_;
};

}  // namespace

void write_grid(const Sphere& sphere, const std::string& path, const FileOptions& options) {
  const std::string part = path + ".part";
  for (const std::string& name : {path, part}) expect_new_file(name);
  const std::int64_t rhombi = sphere.numbering().rhombi();
  UnfinishedFile file(part);
  GridWriter writer(part, sphere.options(), options, rhombi);
  const auto make = [&](std::int64_t first) {
    return sphere.range(first, std::min(first + vertices_of_a_range, rhombi));
  };
  std::future<Grid> next = std::async(std::launch::async, make, 0);
  for (std::int64_t first = 0; first < rhombi; first += vertices_of_a_range) {
    Grid range = next.get();
    if (first + vertices_of_a_range < rhombi)
      next = std::async(std::launch::async, make, first + vertices_of_a_range);
    writer.take_corners(sphere, range);
    writer.write(range);
  }
  writer.close();
  file.rename(path);
}

}  // namespace igcm::grid
