// The parts of a decomposition: the first block of each rank, and then further ones.
#pragma once

#include <vector>

#include "model/declarations.hpp"

namespace tailrace::model {

// The numbers of the parts of each rank, ascending: first the one that has the rank's number.
std::vector<std::vector<int>> parts_by_rank(const Decomposition& decomposition);

// Appends the ranks that follow. The ranks in `further` of both are those of the component. REQUIRES: the
// same grids.
void append(Decomposition& decomposition, const Decomposition& next);

}  // namespace tailrace::model
