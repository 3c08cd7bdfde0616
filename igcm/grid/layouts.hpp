// NICAM's regions and DYNAMICO's rhombi as index maps on the points of one grid: which number of grid.hpp
// stands where in their arrays. A field is laid out by `theirs[k] = ours[map[k]]`; -1 marks what does not
// exist.
#pragma once

#include <vector>

#include "numbering.hpp"

namespace igcm::grid {

/// A region of NICAM: n1 x n1 points with one ring of halo, own points 1 <= i, j <= n1-2 (gmin..gmax, counted
/// from 0), at j * n1 + i. Neighbours of a point: (i+1,j) (i+1,j+1) (i,j+1) (i-1,j) (i-1,j-1) (i,j-1).
struct NicamRegion {
  int n1 = 0;
  /// The own corner (1, 1) is one of the ten pentagons that are no poles: the halo points (0, 0) and (1, 0)
  /// are one point.
  bool singular = false;
  std::vector<std::int32_t> vertex;  ///< n1 * n1 points
  std::vector<std::int32_t> triangle_i,
      triangle_j;  ///< cells TI, TJ; -1 in the last row and column, and where none is
  std::vector<std::int32_t> arc_i, arc_ij, arc_j;  ///< edges AI, AIJ, AJ; -1 likewise
  std::vector<std::int8_t> sign_i, sign_ij,
      sign_j;  ///< +1 where the edge begins at (i, j), -1 where it ends there, or 0
};

/// Regions are numbered from 0: diamond * 4^rl + row * 2^rl + column. 2^rl must divide the side of the grid.
NicamRegion nicam_region(const Numbering& numbering, int region_level, int region);

/// A pole of NICAM: the pole and its ring of five, clockwise seen from outside.
std::array<std::int32_t, 6> nicam_pole(const Numbering& numbering, bool north);

/// A patch of a rhombus of DYNAMICO, iim x jjm cells at j * iim + i with one column and two rows of halo on
/// each side: own cells have 1 <= i <= iim-2, 2 <= j <= jjm-3. Neighbours of a cell, counter-clockwise: right
/// (i+1,j), rup (i,j+1), lup (i-1,j+1), left, ldown (i,j-1), rdown. All that a diamond owns is own cells of
/// its patches; the poles are not.
struct DynamicoPatch {
  int iim = 0, jjm = 0;
  std::vector<std::int32_t> cell;  ///< T points: vertices of grid.hpp
  /// U points: sections right, lup, ldown of iim * jjm each; the sign is +1 where dual_normal points as
  /// DYNAMICO's normal, out of the cell, -1 where against it, and 0 where there is no edge.
  std::vector<std::int32_t> edge;
  std::vector<std::int8_t> sign;
  std::vector<std::int32_t>
      vertex;  ///< Z points: sections up (cell, rup, lup), down (cell, ldown, rdown): cells of grid.hpp
};

/// Own cells: columns [first_i, last_i) and rows [first_j, last_j) of the N x N of the rhombus of a diamond
/// (0..9). Its cell (0, 0) is beside the acute corner S, with `right` along the edge to E and `rup` along the
/// edge to W.
struct RhombusPart {
  int diamond = 0, first_i = 0, last_i = 0, first_j = 0, last_j = 0;
};
DynamicoPatch dynamico_patch(const Numbering& numbering, const RhombusPart& part);

}  // namespace igcm::grid
