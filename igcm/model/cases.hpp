// Initial states of the standard tests for shallow water on the sphere.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "shallow_water.hpp"

namespace igcm::model {

/// Analytic fields at a point of the unit sphere.
class Case {
 public:
  virtual ~Case() = default;
  virtual double depth(grid::Vec3 p) const = 0;          ///< m
  virtual grid::Vec3 wind(grid::Vec3 p) const = 0;       ///< m s-1, tangent
  virtual double bottom(grid::Vec3) const { return 0; }  ///< m
  virtual bool is_steady() const { return false; }       ///< the exact solution is the initial state
};

struct CaseOptions {
  std::string name = "williamson6";
  double tilt = 0;            ///< angle of the axis of the flow, radians, for williamson2 only
  double perturbation = 120;  ///< m, height of the bump that upsets the jet of galewsky; 0: a steady jet
};

/// Names: williamson2, williamson5, williamson6 (Williamson et al. 1992) and galewsky (Galewsky et al. 2004).
/// Throws std::invalid_argument that lists them.
std::unique_ptr<Case> make_case(const CaseOptions& options, const Planet& planet, double radius);

/// The state in local volumes and at local edges of a grid, and the bottom in volumes.
State initial_state(const Case& which, const CGrid& grid);
std::vector<double> bottom_of(const Case& which, const CGrid& grid);

}  // namespace igcm::model
