// Requests to the process that makes weights, and the names of the files in which these are kept.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "regrid/options.hpp"
#include "regrid/source_cells.hpp"

namespace tailrace::regrid {

// Cells between parallels and meridians, in degrees. Bounds: two for each row or column, or none.
struct RowsAndColumns {
  std::vector<double> lat, lon, lat_bounds, lon_bounds;
  bool lat_first = true;  // longitudes are the faster ones in the numbers of cells
  std::int64_t cells() const { return static_cast<std::int64_t>(lat.size() * lon.size()); }
};

// Any cells, one by one. Their numbers are in C order over `shape`.
struct ListedCells {
  CellGeometry geometry;
  std::vector<std::int64_t> shape;  // of one or two dims
  std::int64_t cells() const { return static_cast<std::int64_t>(geometry.lat.size()); }
};

using GridCells = std::variant<RowsAndColumns, ListedCells, Healpix>;

std::int64_t cells_of(const GridCells& grid);
std::string text_of(const GridCells& grid);  // in messages: "lat-lon 180 x 360", "12 x 17 cells"

struct WeightsRequest {
  GridCells source, target;
  Method method = Method::conservative;
  std::string weights;  // the path of Method::file
};

// A digest of all that the weights depend on: 32 hexadecimal digits. Blocks for Method::file, whose content
// counts. Throws Error(resource) with its path.
std::string digest_of(const WeightsRequest& request);
// The file in the cache directory.
std::string weights_path(const std::string& cache, const std::string& digest);

// Throws Error(configuration) that says what the grid lacks for a method: bounds. `name`: what messages call
// it.
void check_bounds(const GridCells& grid, Method method, const std::string& name);

}  // namespace tailrace::regrid
