// How a grid of HEALPix cells (Gorski et al. 2005, ApJ 622, 759) describes itself: CF 1.13, appendix F, and
// the attributes of the same meaning by which older readers know it.
#pragma once

#include <string>

#include "model/declarations.hpp"

namespace tailrace::model {

// `healpix` with `refinement_level` and `indexing_scheme` (CF 1.13), and with `healpix_nside` and
// `healpix_order`, which CDO up to 2.4 and easy.gems read ("nest", "ring").
GridMapping healpix_mapping(int level, bool is_nested);

// The coordinate with the numbers of cells along `dim`, without values: the standard name is `healpix_index`.
Coordinate healpix_index(const std::string& dim);

}  // namespace tailrace::model
