// The grids of ICON's kernels: the published sheet, and the triangles of a real sphere.
#pragma once

#include "../common/dataset.hpp"
#include "../common/program.hpp"

namespace igcm::icon {

// The periodic sheet of G x G triangles (G a power of two) with cells along the Hilbert curve
// (igcm/kernels/README.md): neighbor, cedge (3, cells), ecell (2, edges), map_ij_to_cell (G, G),
// edge_weights_by_slot (3, blk); attributes G, H, blk.
Dataset made_sheet(const Options& options);

// The sphere R1Bk of igcm/grid: neighbor, cedge, ecell, and the weights of a C grid on the earth: div_weights
// and lap_weights (3, cells), grad_weights (edges), layer_thickness (height); attributes H, blk.
Dataset made_sphere(const Options& options);

// Adds those fields that kernels read and change which are named: of cells and edges at H levels, as floats
// or doubles.
void add_fields(Dataset& data, Type type, const std::vector<std::string>& names);

}  // namespace igcm::icon
