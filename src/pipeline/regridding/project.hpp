// Vectors on target cells: true east or north of the three components along the axes of the Earth.
#pragma once

#include "pipeline/regridding/apply_rows.hpp"

namespace tailrace::pipeline::regridding {

// `part`: (level, cell) with the levels of the source, which include the components; afterwards with those of
// the target. A cell is missing if one of its components is. REQUIRES: Exchange::component_step > 0, and the
// centres of the cells.
void project(const Exchange& exchange, const PartRows& rows, base::SlabPool& slabs, RegriddedPart& part);

}  // namespace tailrace::pipeline::regridding
