// From a target to a grid as a model would declare it.
#pragma once

#include <string>
#include <vector>

#include "model/declarations.hpp"
#include "regrid/options.hpp"

namespace tailrace::regrid {

// The grid `source` with its horizontal dims replaced, in the place of the first of them, by those of the
// target: coordinates with bounds, and the grid mapping of CF (`healpix` of CF 1.13). The coordinates
// along other dims are kept. `horizontal`: indices into the
// dims of `source`.
// Coordinates that have a value for each cell of HEALPix or of a file's grid have no values here, since
// nobody holds as many: the caller makes static fields of them, whose blocks servers fill. These are `cell`
// of HEALPix (int64; the cell's number) and the latitudes and longitudes of the grid of a file
// (weights_file.hpp, TargetCells), with `GridFile::corners` bounds.
model::Grid target_grid(const Target& target, const model::Grid& source,
                        const std::vector<std::size_t>& horizontal, const std::string& name);
// In messages and file names: "healpix level 8 nested", "lat-lon 180 x 360".
std::string text_of(const Target& target);
// The cells that must stay together when a target is dealt out: a row, or one cell.
std::int64_t unit_of(const Target& target);
std::vector<std::int64_t> shape_of(const Target& target);  // of its horizontal dims
std::int64_t cells_of(const Target& target);

// The latitudes of a Gaussian grid with `rows` rows, in degrees, from the north.
std::vector<double> gaussian_latitudes(int rows);
// The bounds of cells with these centres as pairs (options.hpp): latitudes end at the poles if they are
// global.
std::vector<double> latitude_bounds(const std::vector<double>& centres, bool to_poles);
std::vector<double> longitude_bounds(const std::vector<double>& centres);

}  // namespace tailrace::regrid
