// The topology of an unstructured mesh, as UGRID 1.0 asks: a variable without data that ties nodes, edges,
// faces and coordinates together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cf/grid.hpp"

namespace tailrace::cf {

// What of a mesh a file uses. Dims are those of grids in the file; none: no variable lies there.
struct MeshUse {
  const model::Grid* grid = nullptr;  // with the mesh
  std::optional<int> faces, edges, nodes;
  int edge_connectivity = -1;  // static field; of `edges`
  std::vector<std::string> face_coordinates, edge_coordinates;
};

// The name of the topology's variable.
std::string write_mesh(GridWriter& writer, const MeshUse& use);

}  // namespace tailrace::cf
