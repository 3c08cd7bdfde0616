// The tendencies of shallow water on hexagons from the stencil language: shallow_water.gg.c, of which
// stencilc makes C with MPI and threads. The same bits as the code by hand in shallow_water.cpp.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "c_grid.hpp"
#include "halo.hpp"

namespace igcm::model {

/// Arrays of local length in the numbers of a CGrid of hexagons, which the functions read and write.
struct StencilFields {
  std::vector<double>&height, &velocity;
  const std::vector<double>&ground, &coriolis;
  std::vector<double>&flux, &vorticity, &q, &bernoulli, &divergence, &q_at_edge;
};

class Stencils {
 public:
  using Partners = std::vector<std::array<std::int32_t, 10>>;
  using Weights = std::vector<std::array<double, 10>>;

  /// partners, weights: of each edge, as in ShallowWater. Part, grid and halo must outlive it. Throws
  /// std::invalid_argument where the build has no generated code, or the grid is one of triangles.
  Stencils(const Part& part, const CGrid& grid, Halo& halo, const Partners& partners, const Weights& weights);
  ~Stencils();

  /// Brings the halo of height and velocity, and makes flux, vorticity, q, bernoulli and divergence of own
  /// entries. Collective.
  void diagnose(const StencilFields& fields, double gravity);
  /// Makes the tendencies of own entries, after diagnose of the same fields. Collective.
  void tendencies(const StencilFields& fields, double upwinding, double viscosity, double dt,
                  std::vector<double>& height_change, std::vector<double>& velocity_change);

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace igcm::model
