// The namelist of the model: a group of Fortran, `&shallow_water name = value, ... /`, with comments behind
// `!`.
#pragma once

#include <string>

#include "cases.hpp"
#include "tracers.hpp"

namespace igcm::model {

struct Settings {
  CaseOptions which;  ///< case, tilt (of the rotation's axis too), perturbation
  Volumes mesh = Volumes::hexagons;
  bool stencils = false;  ///< tendencies of generated code
  double days = 1;
  double time_step = 0;                     ///< s; 0: as long as waves allow
  std::string configuration = "igcm.yaml";  ///< Tailrace's
  int progress = 24;                        ///< lines that the first rank prints during the run
  grid::GridOptions grid;                   ///< root, level, relaxation, iterations, radius
  Planet planet;                            ///< gravity, rotation
  Mixing mixing;                            ///< upwinding, viscosity, divergence_damping
  TracerOptions tracers;                    ///< tracer_levels, region_level, tracer
};

/// Throws std::runtime_error with file:line, the name and what is known.
Settings read_settings(const std::string& path);

}  // namespace igcm::model
