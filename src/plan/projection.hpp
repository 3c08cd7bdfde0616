// The component of a vector that a target cell makes of those along the axes of the Earth.
#pragma once

#include <cstdint>

namespace tailrace::plan {

enum class Projection : std::uint8_t {
  none,   // the field is no vector
  east,   // the component along true east at the centre of the cell
  north,  // the same along true north
};

}  // namespace tailrace::plan
