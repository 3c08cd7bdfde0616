// The mesh of an unstructured grid as one rank gives it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/declarations.hpp"

namespace tailrace::client {

struct MeshArguments {
  std::string name;
  std::span<const double> node_x, node_y;
  std::int64_t nodes_per_face = 0;
  std::span<const std::int32_t> face_nodes;    // local cells x nodes_per_face
  std::int64_t global_nodes = 0;               // of the whole mesh; 0: all of them are given here
  std::span<const std::int64_t> node_indices;  // in parts: the numbers of the nodes that are given
  std::string node_units = {};                 // in a plane; empty: degrees on a sphere

  bool in_parts() const { return global_nodes != 0; }
  std::int64_t nodes() const { return in_parts() ? global_nodes : std::ssize(node_x); }
};

// Throws Error(usage) where the nodes do not fit each other, or the faces of this rank's cells.
void check_mesh(const MeshArguments& mesh, std::int64_t faces);

// face_nodes with every face counter-clockwise as seen from above, as UGRID wants them; those given the other
// way round are turned, from their first node on. Of a mesh that was checked.
std::vector<std::int32_t> counter_clockwise(const MeshArguments& mesh);

// Cells of a grid that are edges or nodes of a mesh.
struct MeshPlaceArguments {
  std::string mesh;
  std::string location;                      // edge, node
  std::span<const std::int32_t> edge_nodes;  // of edges: local cells x 2
};

// Throws Error(usage) where they do not fit a mesh of so many nodes, or the `cells` of this rank and of
// `all`.
model::MeshElement check_place(const MeshPlaceArguments& place, std::int64_t nodes, std::int64_t cells,
                               std::int64_t all);

// The nodes of a mesh in even shares, one a rank, in order: each rank hands over its share of their
// coordinates, whoever gave them.
struct NodeShare {
  std::int64_t begin = 0, count = 0;
};
NodeShare node_share(std::int64_t nodes, int rank, int ranks);
int rank_with_node(std::int64_t node, std::int64_t nodes, int ranks);

// Nodes that a rank gave in parts, until they are with those who hand them over.
struct GivenNodes {
  std::string mesh;
  std::int64_t nodes = 0;             // of the whole mesh
  int x_field = -1, y_field = -1;     // static fields that bring the coordinates
  std::vector<std::int64_t> numbers;  // of what follows
  std::vector<double> x, y;
};

}  // namespace tailrace::client
