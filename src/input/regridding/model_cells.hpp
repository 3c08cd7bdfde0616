// The horizontal cells of a grid of the model, to which records are regridded.
#pragma once

#include <vector>

#include "input/regridding/cells_of_ranks.hpp"
#include "model/declarations.hpp"
#include "regrid/maker/weights_request.hpp"
#include "regrid/source_cells.hpp"

namespace tailrace::input {

struct ModelCells {
  regrid::HorizontalDims horizontal;
  regrid::GridCells cells;  // their numbers are in C order over these dims
};

// `of_ranks`: for a grid whose cells only the ranks know (regrid::only_ranks_know_cells); may be null for
// others. Throws Error(configuration) that names the grid and says what it lacks.
ModelCells model_cells_of(const model::Declarations& declarations, int grid,
                          const CellsOfRanks* of_ranks = nullptr);

// Whether each cell of the model has the place of a cell of the file, and neighbours there are neighbours
// here: then the file may have more cells, and nothing is to be regridded.
bool are_same_cells(const regrid::GridCells& file, const regrid::GridCells& model);

}  // namespace tailrace::input
