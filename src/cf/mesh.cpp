#include "cf/mesh.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tailrace::cf {
namespace {

output::Attributes node_attributes(const model::Mesh& mesh, bool eastward) {
  if (mesh.node_units.empty())
    return {{"units", std::string(eastward ? "degrees_east" : "degrees_north")},
            {"standard_name", std::string(eastward ? "longitude" : "latitude")},
            {"long_name", std::string(eastward ? "longitude of mesh nodes" : "latitude of mesh nodes")}};
  const std::string axis = eastward ? "x" : "y";
  return {{"units", mesh.node_units},
          {"standard_name", fmt::format("projection_{}_coordinate", axis)},
          {"long_name", axis + " of mesh nodes"}};
}

output::VariableSpec connectivity(const std::string& name, std::vector<int> dims, const char* role,
                                  const char* says) {
  output::VariableSpec spec;
  spec.name = name;
  spec.dims = std::move(dims);
  spec.attributes = {
      {"cf_role", std::string(role)}, {"long_name", std::string(says)}, {"start_index", std::int32_t{0}}};
  return spec;
}

class MeshWriter {
 public:
  MeshWriter(GridWriter& writer, const MeshUse& use)
      : writer_(writer),
        use_(use),
        mesh_(*use.grid->mesh),
        topology_(writer.names().take(mesh_.name, use.grid->name)) {}

  std::string write() {
    const std::string& faces_dim =
        use_.grid->indexed_dim.empty() ? use_.grid->dims.back() : use_.grid->indexed_dim;
    const int nodes = use_.nodes ? *use_.nodes : writer_.dim(topology_ + "_node", mesh_.nodes);
    const int faces = use_.faces ? *use_.faces : writer_.dim(faces_dim, extent_of(faces_dim));
    const int corners = writer_.dim(topology_ + "_face_nodes_max", mesh_.nodes_per_face);
    output::VariableSpec x, y;
    x.name = named("node_x");
    x.dims = {nodes};
    x.attributes = node_attributes(mesh_, true);
    y.name = named("node_y");
    y.dims = {nodes};
    y.attributes = node_attributes(mesh_, false);
    output::VariableSpec of_faces =
        connectivity(named("face_nodes"), {faces, corners}, "face_node_connectivity",
                     "nodes of each face, counter-clockwise");
    of_faces.fill_value = -1.0;  // a face may have fewer nodes than others, an edge has two
    output::Attributes attributes{{"cf_role", std::string("mesh_topology")},
                                  {"long_name", std::string("topology of the horizontal mesh")},
                                  {"topology_dimension", std::int32_t{2}},
                                  {"node_coordinates", fmt::format("{} {}", x.name, y.name)},
                                  {"face_node_connectivity", of_faces.name},
                                  {"face_dimension", writer_.dim_name(faces)}};
    if (!use_.face_coordinates.empty())
      attributes.emplace_back("face_coordinates", fmt::format("{}", fmt::join(use_.face_coordinates, " ")));
    std::optional<output::VariableSpec> of_edges = edges(attributes);
    output::VariableSpec itself;
    itself.name = topology_;
    itself.type = model::DataType::int32;
    itself.attributes = std::move(attributes);
    writer_.add_without_data(std::move(itself));
    writer_.add_static(std::move(x), mesh_.node_x_field);
    writer_.add_static(std::move(y), mesh_.node_y_field);
    writer_.add_static(std::move(of_faces), mesh_.connectivity_field);
    if (of_edges) writer_.add_static(std::move(*of_edges), use_.edge_connectivity);
    return topology_;
  }

 private:
  std::string named(const char* part) {
    return writer_.names().take(fmt::format("{}_{}", topology_, part), use_.grid->name);
  }

  std::int64_t extent_of(const std::string& dim) const {
    for (std::size_t d = 0; d < use_.grid->dims.size(); ++d)
      if (use_.grid->dims[d] == dim) return use_.grid->shape[d];
    return 0;
  }

  std::optional<output::VariableSpec> edges(output::Attributes& attributes) {
    if (!use_.edges) return std::nullopt;
    const int ends = writer_.dim(topology_ + "_edge_nodes_max", 2);
    output::VariableSpec spec = connectivity(named("edge_nodes"), {*use_.edges, ends},
                                             "edge_node_connectivity", "nodes at the ends of each edge");
    attributes.emplace_back("edge_node_connectivity", spec.name);
    attributes.emplace_back("edge_dimension", writer_.dim_name(*use_.edges));
    if (!use_.edge_coordinates.empty())
      attributes.emplace_back("edge_coordinates", fmt::format("{}", fmt::join(use_.edge_coordinates, " ")));
    return spec;
  }

  GridWriter& writer_;
  const MeshUse& use_;
  const model::Mesh& mesh_;
  std::string topology_;
};

}  // namespace

std::string write_mesh(GridWriter& writer, const MeshUse& use) { return MeshWriter(writer, use).write(); }

}  // namespace tailrace::cf
