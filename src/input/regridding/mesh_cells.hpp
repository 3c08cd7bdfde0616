// The faces of an unstructured mesh in a file (UGRID 1.0).
#pragma once

#include <optional>

#include "input/entry/file_coordinates.hpp"
#include "regrid/source_cells.hpp"

namespace tailrace::input {

struct MeshCells {
  std::size_t dim = 0;  // of the variable: that of the faces
  regrid::CellGeometry geometry;
};

// None: the variable names no mesh, or lies not on its faces. Without coordinates of the faces a centre is
// the middle of the corners. Reads the nodes and the connectivity. Throws Error(resource), without the names
// of file and variable, for a mesh that is not whole.
std::optional<MeshCells> mesh_cells(FileCoordinates& file, const VariableHeader& variable);

}  // namespace tailrace::input
