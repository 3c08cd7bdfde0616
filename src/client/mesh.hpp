// The mesh of an unstructured grid as declared by one rank.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/declarations.hpp"

namespace tailrace::client {

struct MeshArguments {
  std::string name;
  std::span<const double> node_x, node_y;
  std::int64_t nodes_per_face = 0;
  std::span<const std::int32_t> face_nodes;    // local cells x nodes_per_face
  std::int64_t global_nodes = 0;               // of the whole mesh; 0: this rank gives all nodes
  std::span<const std::int64_t> node_indices;  // of a mesh in parts: the numbers of the given nodes
  std::string node_units = {};                 // for a plane; empty: degrees on a sphere
  int first_index = 0;                         // of the caller's language, for messages

  bool in_parts() const { return global_nodes != 0; }
  std::int64_t nodes() const { return in_parts() ? global_nodes : std::ssize(node_x); }
};

// Throws Error(usage) if the arrays of nodes do not match each other or the faces of this rank's cells, if a
// node has no place, or if a row of face_nodes is no face: three or more different nodes, then only padding.
// Padding is -1; some generators of meshes repeat a node instead. `cells`: the global numbers
// of the cells, which messages name.
void check_mesh(const MeshArguments& mesh, const model::Runs& cells);

// Returns face_nodes, padded with -1, with every face counter-clockwise as seen from above, as UGRID
// requires. A clockwise face is reversed, but keeps its first node. REQUIRES: check_mesh() accepted the mesh.
std::vector<std::int32_t> counter_clockwise(const MeshArguments& mesh);

// A grid whose cells are edges or nodes of a mesh.
struct MeshPlaceArguments {
  std::string mesh;
  std::string location;                      // "edge" or "node"
  std::span<const std::int32_t> edge_nodes;  // of edges: local cells x 2
  int first_index = 0;                       // of the caller's language, for messages
};

// Throws Error(usage) if `place` does not match a mesh of `nodes` nodes, the `cells` of this rank (their
// global numbers) or the number of cells of all ranks (`all`), or if an edge does not have two different
// nodes.
model::MeshElement check_place(const MeshPlaceArguments& place, std::int64_t nodes, const model::Runs& cells,
                               std::int64_t all);

// The nodes of a mesh are split into even shares, one for each rank, in order. Each rank hands over the
// coordinates of its share, no matter which rank gave them.
struct NodeShare {
  std::int64_t begin = 0, count = 0;
};
NodeShare node_share(std::int64_t nodes, int rank, int ranks);
int rank_with_node(std::int64_t node, std::int64_t nodes, int ranks);

// Nodes that a rank gave in parts, kept until they are sent to the ranks that hand them over.
struct GivenNodes {
  std::string mesh;
  std::int64_t nodes = 0;             // of the whole mesh
  int x_field = -1, y_field = -1;     // static fields that hold the coordinates
  std::vector<std::int64_t> numbers;  // of the nodes whose coordinates follow
  std::vector<double> x, y;
  int first_index = 0;  // of the caller's language, for messages
};

// The places of the nodes of this rank's faces.
class CornerNodes {
 public:
  explicit CornerNodes(const MeshArguments& mesh);
  const std::string& mesh() const { return mesh_; }
  std::pair<double, double> place_of(std::int64_t node) const;  // x and y. REQUIRES: a node of a face

 private:
  std::string mesh_;
  std::vector<std::int64_t> numbers_;  // ascending
  std::vector<double> x_, y_;
};

}  // namespace tailrace::client
