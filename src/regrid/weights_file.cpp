#include "regrid/weights_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "output/netcdf/hdf5.hpp"

namespace tailrace::regrid {
namespace {

using output::netcdf::check;
using output::netcdf::Hdf5Lock;
using output::netcdf::Id;

// REQUIRES of all: the lock is held.
class File {
 public:
  explicit File(const std::string& path) : path_(path), access_(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose, path) {
    check(H5Pset_file_locking(access_, false, true), path);  // others read the same file
    file_ = Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access_), &H5Fclose,
               fmt::format("cannot open the weights of {}", path));
  }

  bool has(const char* name) const { return H5Lexists(file_, name, H5P_DEFAULT) > 0; }

  std::int64_t length(const char* name) const { return shape_of(open(name), name)[0]; }
  // The second extent; 1 of an array with one dim.
  std::int64_t width(const char* name) const {
    const std::vector<std::int64_t> shape = shape_of(open(name), name);
    return shape.size() == 2 ? shape[1] : 1;
  }

  // Entries first ... first + count - 1 along the first dim, in C order.
  template <class T>
  std::vector<T> read(const char* name, std::int64_t first, std::int64_t count) const {
    const Id dataset = open(name);
    const std::vector<std::int64_t> shape = shape_of(dataset, name);
    if (first < 0 || count < 0 || first + count > shape[0])
      refuse(
          fmt::format("{} has {} entries, and {} ... {} are needed", name, shape[0], first, first + count));
    const std::array<hsize_t, 2> offset{static_cast<hsize_t>(first), 0};
    std::array<hsize_t, 2> extent{static_cast<hsize_t>(count), 1};
    if (shape.size() == 2) extent[1] = static_cast<hsize_t>(shape[1]);
    std::vector<T> values(extent[0] * extent[1]);
    if (values.empty()) return values;
    const Id there(H5Dget_space(dataset), &H5Sclose, doing(name));
    check(H5Sselect_hyperslab(there, H5S_SELECT_SET, offset.data(), nullptr, extent.data(), nullptr),
          doing(name));
    const Id here(H5Screate_simple(static_cast<int>(shape.size()), extent.data(), nullptr), &H5Sclose,
                  doing(name));
    const hid_t type = std::is_same_v<T, double> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
    check(H5Dread(dataset, type, here, there, H5P_DEFAULT, values.data()), doing(name));
    return values;
  }

  // An attribute of the file as netCDF libraries write text: of a fixed length, or as a pointer.
  std::string text(const char* name) const {
    if (H5Aexists(file_, name) <= 0) refuse(fmt::format("it has no attribute {}", name));
    const Id attribute(H5Aopen(file_, name, H5P_DEFAULT), &H5Aclose, doing(name));
    const Id type(H5Aget_type(attribute), &H5Tclose, doing(name));
    if (H5Tget_class(type) != H5T_STRING) refuse(fmt::format("its attribute {} is not text", name));
    if (H5Tis_variable_str(type) > 0) return pointed_text(attribute, type, name);
    std::string value(H5Tget_size(type), '\0');
    check(H5Aread(attribute, type, value.data()), doing(name));
    value.resize(std::min(value.size(), value.find('\0')));
    return value;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorCode::resource,
                fmt::format("{} is not a file of weights that Tailrace made: {}; `tailrace weights make` "
                            "converts weights of other programs",
                            path_, why));
  }
  [[noreturn]] void refuse_cell(const std::string& what) const {
    throw Error(ErrorCode::configuration, fmt::format("weights {}: {}", path_, what));
  }

 private:
  std::string doing(const char* name) const { return fmt::format("cannot read {} of {}", name, path_); }

  Id open(const char* name) const {
    if (!has(name)) refuse(fmt::format("it has no variable {}", name));
    return {H5Dopen2(file_, name, H5P_DEFAULT), &H5Dclose, doing(name)};
  }

  std::vector<std::int64_t> shape_of(const Id& dataset, const char* name) const {
    const Id space(H5Dget_space(dataset), &H5Sclose, doing(name));
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 1 || rank > 2) refuse(fmt::format("{} has {} dims", name, rank));
    std::array<hsize_t, 2> extent{};
    check(H5Sget_simple_extent_dims(space, extent.data(), nullptr), doing(name));
    std::vector<std::int64_t> shape{static_cast<std::int64_t>(extent[0])};
    if (rank == 2) shape.push_back(static_cast<std::int64_t>(extent[1]));
    return shape;
  }

  std::string pointed_text(const Id& attribute, const Id& type, const char* name) const {
    const Id space(H5Aget_space(attribute), &H5Sclose, doing(name));
    if (H5Sget_simple_extent_npoints(space) != 1)
      refuse(fmt::format("its attribute {} is not one text", name));
    char* pointer = nullptr;
    check(H5Aread(attribute, type, static_cast<void*>(&pointer)), doing(name));
    std::string value = pointer ? pointer : "";
    H5free_memory(pointer);
    return value;
  }

  std::string path_;
  Id access_, file_;
};

std::int64_t product(const std::vector<std::int64_t>& extents) {
  std::int64_t cells = 1;
  for (const std::int64_t extent : extents) cells *= extent;
  return cells;
}

WeightsHeader read_header(const File& file) {
  WeightsHeader header;
  header.digest = file.text("tailrace_digest");
  header.method = file.text("tailrace_method");
  header.made_by = file.text("tailrace_made_by");
  header.source_cells = product(file.read<std::int64_t>("src_grid_dims", 0, file.length("src_grid_dims")));
  header.target_cells = product(file.read<std::int64_t>("dst_grid_dims", 0, file.length("dst_grid_dims")));
  header.links = file.length("src_address");
  if (file.has("dst_grid_corner_lat")) header.target_corners = file.width("dst_grid_corner_lat");
  if (file.length("row_start") != header.target_cells + 1)
    file.refuse(fmt::format("row_start has {} entries; expected {}, one more than target cells",
                            file.length("row_start"), header.target_cells + 1));
  if (file.length("dst_address") != header.links || file.length("remap_matrix") != header.links)
    file.refuse("src_address, dst_address and remap_matrix have different lengths");
  if (file.width("remap_matrix") != 1)
    file.refuse(fmt::format("links have {} weights; expected 1", file.width("remap_matrix")));
  return header;
}

void check_row(const File& file, const Rows& rows, const std::vector<std::int64_t>& targets, std::int64_t row,
               std::int64_t source_cells) {
  const std::int64_t cell = rows.first + row;
  std::int64_t before = -1;
  for (std::int64_t link = rows.start[base::index(row)]; link < rows.start[base::index(row + 1)]; ++link) {
    const std::int64_t source = rows.source[base::index(link)];
    if (targets[base::index(link)] != cell + 1)
      file.refuse_cell(
          fmt::format("a link of target cell {} (from 0) has dst_address {}; expected {}: the rows "
                      "are not sorted",
                      cell, targets[base::index(link)], cell + 1));
    if (source < 0 || source >= source_cells)
      file.refuse_cell(fmt::format("a link of target cell {} (from 0) has src_address {}; expected 1 ... {}",
                                   cell, source + 1, source_cells));
    if (source <= before)
      file.refuse_cell(
          fmt::format("the links of target cell {} (from 0) do not ascend: source cell {} is after "
                      "{}",
                      cell, source, before));
    if (!std::isfinite(rows.weight[base::index(link)]))
      file.refuse_cell(fmt::format("the weight of source cell {} for target cell {} (from 0) is {}", source,
                                   cell, rows.weight[base::index(link)]));
    before = source;
  }
}

void check_starts(const File& file, const Rows& rows, std::int64_t links, std::int64_t first_link) {
  for (std::size_t row = 0; row + 1 < rows.start.size(); ++row)
    if (rows.start[row + 1] < rows.start[row])
      file.refuse_cell(fmt::format("row_start falls from {} to {} behind target cell {} (from 0)",
                                   first_link + rows.start[row], first_link + rows.start[row + 1],
                                   rows.first + static_cast<std::int64_t>(row)));
  if (first_link < 0 || first_link + rows.start.back() > links)
    file.refuse_cell(fmt::format("row_start of target cells {} ... {} (from 0) is outside 0 ... {}",
                                 rows.first, rows.first + rows.rows(), links));
}

}  // namespace

WeightsHeader read_weights_header(const std::string& path) {
  const Hdf5Lock lock;
  return read_header(File(path));
}

Rows read_rows(const std::string& path, std::int64_t first, std::int64_t count) {
  const Hdf5Lock lock;
  const File file(path);
  const WeightsHeader header = read_header(file);
  Rows rows;
  rows.first = first;
  rows.start = file.read<std::int64_t>("row_start", first, count + 1);
  const std::int64_t first_link = rows.start.front();
  for (std::int64_t& start : rows.start) start -= first_link;
  check_starts(file, rows, header.links, first_link);
  rows.source = file.read<std::int64_t>("src_address", first_link, rows.start.back());
  for (std::int64_t& source : rows.source) --source;
  rows.weight = file.read<double>("remap_matrix", first_link, rows.start.back());
  const std::vector<std::int64_t> targets =
      file.read<std::int64_t>("dst_address", first_link, rows.start.back());
  for (std::int64_t row = 0; row < count; ++row) check_row(file, rows, targets, row, header.source_cells);
  return rows;
}

TargetCells read_target_cells(const std::string& path, std::int64_t first, std::int64_t count) {
  const Hdf5Lock lock;
  const File file(path);
  TargetCells cells;
  cells.lat = file.read<double>("dst_grid_center_lat", first, count);
  cells.lon = file.read<double>("dst_grid_center_lon", first, count);
  if (!file.has("dst_grid_corner_lat")) return cells;
  cells.corners = file.width("dst_grid_corner_lat");
  cells.lat_corners = file.read<double>("dst_grid_corner_lat", first, count);
  cells.lon_corners = file.read<double>("dst_grid_corner_lon", first, count);
  return cells;
}

}  // namespace tailrace::regrid
