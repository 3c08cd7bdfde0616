// The grid mapping of HEALPix in files of others.
#pragma once

#include "input/reader/file_header.hpp"
#include "regrid/options.hpp"

namespace tailrace::input {

bool is_healpix(const VariableHeader& mapping);

// The level and the order, from `refinement_level` and `indexing_scheme` of CF 1.13, or from `healpix_nside`
// (or `nside`) and `healpix_order`, which easy.gems had before. An order that is not given is not guessed.
// Throws Error(resource) that names the variable and what is expected.
regrid::Healpix healpix_of(const VariableHeader& mapping);

}  // namespace tailrace::input
