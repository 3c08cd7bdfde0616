#include "model/healpix.hpp"

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

}  // namespace tailrace::model
