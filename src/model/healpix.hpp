// How a grid of HEALPix cells (Gorski et al. 2005, ApJ 622, 759) describes itself: CF 1.13, appendix F.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model/declarations.hpp"

namespace tailrace::model {

// `healpix` with `refinement_level` and `indexing_scheme`, and no more: current easy.gems and CDO know these,
// and xdggs 0.6 refuses a grid mapping that has `healpix_nside` and `healpix_order` of before, too.
GridMapping healpix_mapping(int level, bool is_nested);

// The coordinate with the numbers of cells along `dim`, without values: the standard name is `healpix_index`.
Coordinate healpix_index(const std::string& dim);

// By its grid mapping.
bool is_healpix(const Grid& grid);
bool is_nested(const Grid& grid);  // the order of the cells: nested, or ring. REQUIRES: is_healpix
// The dim along which the cells lie, as an index into the grid's dims: that of the numbers of cells, or else
// the last one that has the cells of a level, 12 * 4^level. None: the grid is not of HEALPix, or has no such.
std::optional<std::size_t> healpix_dim(const Grid& grid);

}  // namespace tailrace::model
