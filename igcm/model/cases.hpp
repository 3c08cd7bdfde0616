// Initial states of the standard tests for shallow water on the sphere.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grid.hpp"
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

/// name: williamson2, williamson5, williamson6 (Williamson et al. 1992) or galewsky (Galewsky et al. 2004:
/// the jet with its perturbation). tilt: angle of the axis of the flow, radians, for williamson2 only. Throws
/// std::invalid_argument that lists the names.
std::unique_ptr<Case> make_case(const std::string& name, const Planet& planet, double radius, double tilt);

/// The state at local vertices and edges of a grid, and the bottom at vertices.
State initial_state(const Case& which, const grid::Grid& grid);
std::vector<double> bottom_of(const Case& which, const grid::Grid& grid);

}  // namespace igcm::model
