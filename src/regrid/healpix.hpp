// Numbers and places of HEALPix cells (Gorski et al. 2005, ApJ 622, 759).
#pragma once

#include <cstdint>
#include <utility>

namespace tailrace::regrid {

std::int64_t nested_to_ring(int level, std::int64_t cell);
std::int64_t ring_to_nested(int level, std::int64_t cell);
// Latitude and longitude of the centre in degrees; the longitude in [0, 360).
std::pair<double, double> healpix_centre(int level, std::int64_t nested_cell);

}  // namespace tailrace::regrid
