// How a grid of HEALPix cells (Gorski et al. 2005, ApJ 622, 759) describes itself: CF 1.13, appendix F.
#pragma once

#include <string>

#include "model/declarations.hpp"

namespace tailrace::model {

// `healpix` with `refinement_level` and `indexing_scheme`, and no more: current easy.gems and CDO know these,
// and xdggs 0.6 refuses a grid mapping that has `healpix_nside` and `healpix_order` of before, too.
GridMapping healpix_mapping(int level, bool is_nested);

// The coordinate with the numbers of cells along `dim`, without values: the standard name is `healpix_index`.
Coordinate healpix_index(const std::string& dim);

}  // namespace tailrace::model
