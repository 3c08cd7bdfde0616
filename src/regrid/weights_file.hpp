// Rows of weights from a file in SCRIP's layout that `tailrace weights` has made, checked and sorted: links
// ascend by target cell and, within it, by source cell, and a variable `row_start` (dst_grid_size + 1) has
// the number of the first link of each row. It is written as NetCDF-4 and read through HDF5 under the lock of
// output/netcdf/hdf5.hpp. docs/formats/weights.md describes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tailrace::regrid {

// The rows of the target cells first ... first + rows() - 1. Cells are numbered from 0, in C order over the
// horizontal dims of their grid. A row has at least one link, or none if no source cell touches its cell.
struct Rows {
  std::int64_t first = 0;
  std::vector<std::int64_t> start;   // rows() + 1 entries; the first is 0
  std::vector<std::int64_t> source;  // by link; ascending within a row
  std::vector<double> weight;        // by link; of a conservative method shares of the target cell (destarea)
  std::int64_t rows() const { return static_cast<std::int64_t>(start.size()) - 1; }
};

struct WeightsHeader {
  std::string digest;  // of both grids and the method (attribute `tailrace_digest`)
  std::int64_t source_cells = 0, target_cells = 0, links = 0;
  std::string method, made_by;      // "conservative"; "YAC 3.21.0" (`tailrace_method`, `tailrace_made_by`)
  std::int64_t target_corners = 0;  // 0: the file has no corners
};

// These block, and read only what they return. They throw Error(resource) with path and reason for a file
// that is not there, is damaged, or is not in this layout, and Error(configuration) that names a cell for an
// index that is out of range or rows that are not sorted.
WeightsHeader read_weights_header(const std::string& path);
Rows read_rows(const std::string& path, std::int64_t first, std::int64_t count);

// Centres of target cells in degrees, and corners with `corners` entries a cell (the last one repeated where
// a cell has fewer), for coordinates of a target that is the grid of a file.
struct TargetCells {
  std::vector<double> lat, lon, lat_corners, lon_corners;
  std::int64_t corners = 0;
};
TargetCells read_target_cells(const std::string& path, std::int64_t first, std::int64_t count);

}  // namespace tailrace::regrid
