// Shallow water on the hexagonal C grid by the scheme of Thuburn et al. (2009) and Ringler et al. (2010):
// vector-invariant, it conserves mass, and with exact time steps total energy.
//   dh/dt = - div F,   du/dt = q F_perp - grad (g (h + b) + K),   F = mean(h) u,   q = (curl u + f) / h
// h is at vertices (centres of hexagons), u along dual_normal at edges, q at cells (corners of hexagons).
#pragma once

#include <vector>

#include "part.hpp"

namespace igcm::model {

using Field = std::vector<double>;

struct Planet {
  double gravity = 9.80616;    // m s-2
  double rotation = 7.292e-5;  // s-1
};

struct State {
  Field height;    ///< depth of the fluid, m, at local vertices
  Field velocity;  ///< m s-1, at local edges
};

class ShallowWater {
 public:
  /// bottom: height of the ground at local vertices, m. tilt: angle by which the axis of rotation is inclined
  /// (Williamson's alpha). Collective over comm. The part must outlive it.
  ShallowWater(const Part& part, const Planet& planet, double tilt, Field bottom, MPI_Comm comm);

  /// One step of the classical Runge-Kutta method, with an exchange in each of four stages. The state of own
  /// entries counts. Collective. The bits do not depend on the number of ranks.
  void advance(State& state, double dt);

  const Field& bottom() const { return bottom_; }
  /// Relative vorticity (1/s) at own cells. Collective: it exchanges the halo of the state.
  Field vorticity(State& state);
  /// Sums over the own part: volume (m3), kinetic and potential energy and potential enstrophy by the
  /// density.
  struct Integrals {
    double mass = 0, energy = 0, potential_enstrophy = 0;
  };
  /// Collective: it exchanges the halo of the state.
  Integrals integrals(State& state);

 private:
  // Lists of local numbers; the first `early` of them need no halo.
  struct Work {
    std::vector<std::int32_t> all;
    std::size_t early = 0;
  };
  void list_work();
  void make_weights();
  template <class Compute>
  static void for_work(const Work& work, bool early, const Compute& compute);
  void diagnose(const State& state, bool early);
  void exchange_and_diagnose(State& state);
  void tendencies(State& state, State& change);
  double change_of_velocity(std::size_t edge) const;

  const Part& part_;
  Planet planet_;
  Field bottom_;
  Field coriolis_;  // at cells
  Halo halo_;
  Work cells_, edges_, vertices_;
  Field vorticity_, q_, flux_, bernoulli_;
  // For own edges: partners around both hexagons and their weights w (antisymmetric); unused places have
  // weight 0.
  std::vector<std::array<std::int32_t, 10>> partners_;
  std::vector<std::array<double, 10>> weights_;
  State stage_, change_, sum_;
};

}  // namespace igcm::model
