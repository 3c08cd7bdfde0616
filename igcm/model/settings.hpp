// The namelist of the model: a group of Fortran, `&shallow_water name = value, ... /`, with comments behind
// `!`.
#pragma once

#include <string>

#include "grid.hpp"
#include "shallow_water.hpp"

namespace igcm::model {

struct Settings {
  std::string which = "williamson6";  ///< case
  double days = 1;
  double time_step = 0;  ///< s; 0: as long as waves allow
  double tilt = 0;       ///< radians, of the flow's axis and of the rotation's; for williamson2
  std::string configuration = "igcm.yaml";  ///< Tailrace's
  int progress = 24;                        ///< lines that the first rank prints during the run
  grid::GridOptions grid;                   ///< root, level, relaxation, iterations, radius
  Planet planet;                            ///< gravity, rotation
};

/// Throws std::runtime_error with file:line, the name and what is known.
Settings read_settings(const std::string& path);

}  // namespace igcm::model
