// The topology of an unstructured mesh in UGRID 1.0: a variable without data that connects nodes, edges,
// faces and coordinates.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cf/grid.hpp"

namespace tailrace::cf {

// The parts of a mesh that a file uses. The dims are those of grids in the file; none if no variable is
// defined there.
struct MeshUse {
  const model::Grid* grid = nullptr;  // the grid that declares the mesh
  std::optional<int> faces, edges, nodes;
  int edge_connectivity = -1;  // static field; of `edges`
  std::vector<std::string> face_coordinates, edge_coordinates;
};

// The name of the topology's variable.
std::string write_mesh(GridWriter& writer, const MeshUse& use);

}  // namespace tailrace::cf
