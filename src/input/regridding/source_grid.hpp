// The horizontal cells of a variable of a file, by CF 4, 5 and 7, UGRID 1.0, and the habits of ICON and WRF.
#pragma once

#include <string>
#include <vector>

#include "input/entry/file_coordinates.hpp"
#include "regrid/maker/weights_request.hpp"

namespace tailrace::input {

struct SourceGrid {
  std::vector<std::size_t> dims;  // indices into the dims of the variable, ascending: one or two
  regrid::GridCells cells;        // their numbers are in C order over these dims
};

// It comes from coordinates along one dim each, of coordinates that share one or two dims, of the faces of a
// mesh, or of a HEALPix grid mapping. Corners come from `bounds`, or from the nodes of the mesh. Reads the
// coordinates. Throws Error(resource), without the names of file and variable, that says what is missing, or
// which cell has no place.
SourceGrid source_grid_of(FileCoordinates& file, const VariableHeader& variable);

// A text that differs for grids with other centres of cells; corners do not count.
std::string centres_of(const SourceGrid& grid);

}  // namespace tailrace::input
