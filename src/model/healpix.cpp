#include "model/healpix.hpp"

#include <algorithm>
#include <cstdint>

#include "base/index.hpp"
#include "model/attributes.hpp"

namespace tailrace::model {

GridMapping healpix_mapping(int level, bool is_nested) {
  GridMapping mapping{.name = "crs", .attributes = {}};
  mapping.attributes["grid_mapping_name"] = std::string("healpix");
  mapping.attributes["refinement_level"] = level;
  mapping.attributes["indexing_scheme"] = std::string(is_nested ? "nested" : "ring");
  return mapping;
}

Coordinate healpix_index(const std::string& dim) {
  Coordinate coordinate;
  coordinate.name = dim;
  coordinate.dims = {dim};
  coordinate.units = std::string("1");  // g++ 12 gives a false warning for a literal
  coordinate.standard_name = "healpix_index";
  coordinate.long_name = "number of the HEALPix cell";
  return coordinate;
}

bool is_healpix(const Grid& grid) {
  return grid.mapping && text_of(grid.mapping->attributes, "grid_mapping_name") == "healpix";
}

bool is_nested(const Grid& grid) { return text_of(grid.mapping->attributes, "indexing_scheme") != "ring"; }

std::optional<std::size_t> healpix_dim(const Grid& grid) {
  if (!is_healpix(grid)) return std::nullopt;
  for (const Coordinate& coordinate : grid.coordinates) {
    if (coordinate.standard_name != "healpix_index" || coordinate.dims.size() != 1) continue;
    const auto found = std::ranges::find(grid.dims, coordinate.dims.front());
    if (found != grid.dims.end()) return base::index(found - grid.dims.begin());
  }
  for (std::size_t d = grid.dims.size(); d-- > 0;)
    for (int level = 0; level < 30; ++level)
      if (grid.shape[d] == std::int64_t{12} << (2 * level)) return d;
  return std::nullopt;
}

}  // namespace tailrace::model
