// The direction of a coordinate, recognised by its units and names (CF 4).
#pragma once

#include "model/declarations.hpp"

namespace tailrace::model {

bool is_latitude(const Coordinate& coordinate);   // by its units, or its standard_name
bool is_longitude(const Coordinate& coordinate);  // the same
bool is_vertical(const Coordinate& coordinate);

// The coordinates that place the cells of a grid on the Earth: of each direction the one along most dims,
// since a curvilinear grid may have nominal axes too. Null if there is none.
struct HorizontalCoordinates {
  const Coordinate* lat = nullptr;
  const Coordinate* lon = nullptr;
  // Cells between parallels and meridians: each has one dim of its own.
  bool are_axes() const { return lat != nullptr && lon != nullptr && lat->dims != lon->dims; }
};
HorizontalCoordinates horizontal_coordinates(const Grid& grid);

}  // namespace tailrace::model
