// Shallow water on a C grid by the scheme of Thuburn et al. (2009) and Ringler et al. (2010):
// vector-invariant, it conserves mass, and with exact time steps total energy.
//   dh/dt = - div F,   du/dt = q F_perp - grad (g (h + b) + K),   F = mean(h) u,   q = (curl u + f) / h
// h is in the volumes, u along the normals of their walls, q at their corners (c_grid.hpp).
//
// Triangles have a divergence whose error is of first order and alternates between triangles that point up
// and down, and velocities that do the same, which no pressure holds. As in ICON (Zaengl et al. 2015), the
// divergence is averaged over a triangle and its three neighbours, so that what alternates is not seen, and
// alternating divergence of the velocity is damped (of fourth order on what varies smoothly). Unlike in ICON
// the gradient is that of the Bernoulli function averaged in the same way, the adjoint, which conserves
// energy.
#pragma once

#include <memory>
#include <vector>

#include "c_grid.hpp"
#include "halo.hpp"
#include "stencils.hpp"

namespace igcm::model {

using Field = std::vector<double>;

struct Planet {
  double gravity = 9.80616;    // m s-2
  double rotation = 7.292e-5;  // s-1
};

/// Terms that are added to the equations.
struct Mixing {
  /// Anticipated potential vorticity (Sadourny and Basdevant 1985): q is taken upwind by this part of the way
  /// that the fluid passes in a step. It takes potential enstrophy and no energy. 0: centred.
  double upwinding = 0;
  double viscosity = 0;              ///< m2 s-1, of the velocity and the depth
  double divergence_damping = 0.01;  ///< for triangles only; of the area of a volume, in a step
};

struct State {
  Field height;    ///< depth of the fluid, m, in local volumes
  Field velocity;  ///< m s-1, at local edges
};

class ShallowWater {
 public:
  /// Rings of halo that a part needs.
  static int rings(const Mixing& mixing) { return mixing.upwinding > 0 ? 3 : 2; }

  /// generated: by the stencils of shallow_water.gg.c rather than the code here, with the same bits; for
  /// hexagons. bottom: height of the ground in local volumes, m. tilt: angle by which the axis of rotation is
  /// inclined (Williamson's alpha). Collective over comm. Part and grid must outlive it.
  ShallowWater(const Part& part, const CGrid& grid, const Planet& planet, const Mixing& mixing, double tilt,
               Field bottom, bool generated, MPI_Comm comm);

  /// One step of the classical Runge-Kutta method, with an exchange in each of four stages. The state of own
  /// entries counts. Collective. The bits do not depend on the number of ranks.
  void advance(State& state, double dt);

  const CGrid& grid() const { return grid_; }
  const Field& bottom() const { return bottom_; }
  /// Brings the halo of the state, and makes the vorticity and what `integrals` sums. Collective.
  void diagnose(State& state);
  /// Relative vorticity (1/s) of the last diagnose, at local corners; valid at own ones.
  const Field& vorticity() const { return vorticity_; }
  /// Sums over the own part: volume (m3), kinetic and potential energy and potential enstrophy by the
  /// density.
  struct Integrals {
    double mass = 0, energy = 0, potential_enstrophy = 0;
  };
  /// Local; of the state of the last diagnose.
  Integrals integrals(const State& state) const;

 private:
  // Lists of local numbers; the first `early` of them need no halo.
  struct Work {
    std::vector<std::int32_t> all;
    std::size_t early = 0;
  };
  void list_work();
  void make_weights();
  void make_averages();
  void make_spokes();
  template <class Compute>
  static void for_work(const Work& work, bool early, const Compute& compute);
  void compute(const State& state, bool early);
  void exchange_and_compute(State& state);
  double averaged(const Field& field, std::size_t volume) const;
  double laplacian(const Field& field, std::size_t volume) const;
  double q_in_volume(std::size_t volume) const;
  void find_q_at_edges(const State& state, double dt);
  double turned_by_partners(std::size_t edge) const;
  void turn_fluxes();
  double turned_at_ends(std::size_t edge) const;
  double damping_of_divergence(std::size_t edge) const;
  void tendencies(State& state, double dt, State& change);
  double change_of_velocity(std::size_t edge, double dt) const;
  StencilFields fields_of(State& state);

  const CGrid& grid_;
  Planet planet_;
  Mixing mixing_;
  Field bottom_, coriolis_;  // in volumes, at corners
  Halo halo_;
  Work corners_, edges_, volumes_;
  std::vector<std::int32_t> q_edges_;       // own edges and their partners
  std::vector<std::int32_t> mass_volumes_;  // own ones, and of triangles those beside them
  Field vorticity_, q_, flux_, bernoulli_, divergence_, q_at_edges_, mass_divergence_;
  // Hexagons, for edges of q_edges_: partners around both volumes and their weights w (antisymmetric); unused
  // places have weight 0.
  std::vector<std::array<std::int32_t, 10>> partners_;
  std::vector<std::array<double, 10>> weights_;
  // Triangles. At edges: how much of the difference of two volumes averaging moves. Around corners, and at
  // both ends of own edges: places of walls (make_spokes). At corners: q F.
  Field exchanged_area_;
  std::vector<std::array<grid::Vec3, CGrid::most>> spokes_;
  std::vector<std::array<grid::Vec3, 2>> reach_;
  std::vector<grid::Vec3> turned_;
  State stage_, change_, sum_;
  std::unique_ptr<Stencils> stencils_;  // where the tendencies are generated
};

}  // namespace igcm::model
