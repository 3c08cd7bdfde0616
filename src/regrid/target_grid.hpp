// From a target to a grid as a model would declare it.
#pragma once

#include <string>
#include <vector>

#include "model/declarations.hpp"
#include "regrid/options.hpp"

namespace tailrace::regrid {

// The grid `source` with its horizontal dims replaced, in the place of the first of them, by those of the
// target: coordinates with bounds, and the grid mapping of CF (`healpix` of CF 1.13 with the attributes by
// which easy.gems and CDO know it). The coordinates along other dims are kept. `horizontal`: indices into the
// dims of `source`.
model::Grid target_grid(const Target& target, const model::Grid& source,
                        const std::vector<std::size_t>& horizontal, const std::string& name);
// In messages and file names: "healpix level 8 nested", "lat-lon 180 x 360".
std::string text_of(const Target& target);
// The cells that must stay together when a target is dealt out: a row, or one cell.
std::int64_t unit_of(const Target& target);

}  // namespace tailrace::regrid
