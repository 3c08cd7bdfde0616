#include "output/netcdf/header_only_driver/header_around.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "output/netcdf/hdf5.hpp"
#include "output/netcdf/header.hpp"
#include "output/netcdf/header_only_driver/placing_driver.hpp"

namespace tailrace::output::netcdf {
namespace {

bool has_values(const DatasetSpec& spec, const VariableSpec& variable) {
  return std::ranges::all_of(variable.dims, [&](int dim) { return spec.dims[base::index(dim)].size > 0; });
}

// The file is written only once, so links and attributes use HDF5's dense storage, which is fast for many of
// them.
Id creation_properties() {
  Id properties(H5Pcreate(H5P_FILE_CREATE), &H5Pclose, "cannot make file properties");
  constexpr unsigned tracked = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
  check(H5Pset_link_creation_order(properties, tracked), "cannot track the order of variables");
  check(H5Pset_attr_creation_order(properties, tracked), "cannot track the order of attributes");
  check(H5Pset_obj_track_times(properties, false), "cannot omit times");
  check(H5Pset_file_space_strategy(properties, H5F_FSPACE_STRATEGY_NONE, false, 1),
        "cannot switch reuse of space off");
  return properties;
}

}  // namespace

HeaderAround make_header_around(const DatasetSpec& spec, const std::vector<std::uint64_t>& places,
                                std::uint64_t end) {
  PlacedFile placed{.first_free = std::max(end, first_place_of_values)};
  const Hdf5Lock lock;
  {
    Id file = create_in(placed, creation_properties());
    write_header(file, spec, [&](std::size_t variable) {
      if (!has_values(spec, spec.variables[variable])) return false;
      placed.place = places[variable];
      return true;
    });
    file.close("cannot close");
  }
  return {std::move(placed.written), placed.end};
}

}  // namespace tailrace::output::netcdf
