#include "output/netcdf/placed/header_around.hpp"

#include <algorithm>

#include "output/netcdf/hdf5.hpp"
#include "output/netcdf/header.hpp"
#include "output/netcdf/placed/placing_driver.hpp"

namespace tailrace::output::netcdf {
namespace {

bool has_values(const DatasetSpec& spec, const VariableSpec& variable) {
  return std::ranges::all_of(variable.dims,
                             [&](int dim) { return spec.dims[static_cast<std::size_t>(dim)].size > 0; });
}

}  // namespace

HeaderAround make_header_around(const DatasetSpec& spec, const std::vector<std::uint64_t>& places,
                                std::uint64_t end) {
  PlacedFile placed{.first_free = std::max(end, first_place_of_values)};
  const Hdf5Lock lock;
  {
    Id file = create_in(placed, header_creation_properties());
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
