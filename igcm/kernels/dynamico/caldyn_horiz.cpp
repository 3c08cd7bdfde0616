// Horizontal tendencies (igcm/kernels/README.md). The same order of operations as caldyn_horiz.f90.
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "rhombus.hpp"

namespace {

using igcm::Rhombus;
// The index of a loop. With 32 bits a sum could overflow, so the compiler would gather what it points to.
using Index = std::ptrdiff_t;

constexpr Index tile = 512;  // the thirty weights of its cells stay in the cache while the levels pass

// The fields of one level.
struct Level {
  const double *u, *rhodz, *qu, *theta, *geopot_below, *geopot_above;
  double *pk, *hflux, *convm, *dtheta_rhodz, *du;
};
struct Metrics {
  const double *le, *Ai, *de, *Wee;
};

void fluxes(const Rhombus& r, const Metrics& m, const Level& x, double* heat) {
  const auto flux = [&](Index ij, Index e, Index neighbour) {
    x.hflux[e] = 0.5 * (x.rhodz[ij] + x.rhodz[neighbour]) * x.u[e] * m.le[e];
    heat[e] = 0.5 * (x.theta[ij] + x.theta[neighbour]) * x.hflux[e];
  };
#pragma GCC ivdep
  for (Index ij = r.ij_begin_ext - 1; ij < r.ij_end_ext; ++ij) {
    flux(ij, ij + r.u_right, ij + r.t_right);
    flux(ij, ij + r.u_lup, ij + r.t_lup);
    flux(ij, ij + r.u_ldown, ij + r.t_ldown);
  }
}

void convergence(const Rhombus& r, const double* Ai, const double* flux, double* conv) {
#pragma GCC ivdep
  for (Index ij = r.ij_begin - 1; ij < r.ij_end; ++ij)
    conv[ij] = -(1 / Ai[ij] *
                 (flux[ij + r.u_right] - flux[ij + r.u_rup] + flux[ij + r.u_lup] - flux[ij + r.u_left] +
                  flux[ij + r.u_ldown] - flux[ij + r.u_rdown]));
}

// The ten partners of an edge: five of its own cell, then five of the other, counter-clockwise after the
// edge.
using Partners = std::array<int, 10>;

struct Cells {
  Index first, end;
};

template <bool energy>
void vorticity_term(const Rhombus& r, Cells cells, const Metrics& m, const Level& x, int edge, bool guarded,
                    const Partners& partner) {
  const std::ptrdiff_t edges = 3 * static_cast<std::ptrdiff_t>(r.cells());
#pragma GCC ivdep
  for (Index ij = cells.first; ij < cells.end; ++ij) {
    const Index e = ij + edge;
    const auto term = [&](std::size_t k) {
      const Index p = ij + partner[k];
      const double flux = m.Wee[static_cast<std::ptrdiff_t>(k) * edges + e] * x.hflux[p];
      return energy ? flux * (x.qu[e] + x.qu[p]) : flux;
    };
    const double s =
        term(0) + term(1) + term(2) + term(3) + term(4) + term(5) + term(6) + term(7) + term(8) + term(9);
    const double tendency = energy ? 0.5 * s / m.de[e] : x.qu[e] * s / m.de[e];
    if (!guarded || m.de[e] > 1) x.du[e] = tendency;
  }
}

template <bool energy>
void vorticity_terms(const Rhombus& r, Cells cells, const Metrics& m, const Level& x) {
  const int right = r.u_right, rup = r.u_rup, lup = r.u_lup, left = r.u_left, ldown = r.u_ldown,
            rdown = r.u_rdown;
  const auto with = [](std::array<int, 5> own, int to, std::array<int, 5> other) {
    Partners all{};
    for (std::size_t k = 0; k < 5; ++k) {
      all[k] = own[k];
      all[5 + k] = to + other[k];
    }
    return all;
  };
  vorticity_term<energy>(r, cells, m, x, right, false,
                         with({rup, lup, left, ldown, rdown}, r.t_right, {ldown, rdown, right, rup, lup}));
  vorticity_term<energy>(r, cells, m, x, lup, true,
                         with({left, ldown, rdown, right, rup}, r.t_lup, {right, rup, lup, left, ldown}));
  vorticity_term<energy>(r, cells, m, x, ldown, true,
                         with({rdown, right, rup, lup, left}, r.t_ldown, {lup, left, ldown, rdown, right}));
}

// Hydrostatic pressure of a Boussinesq fluid, from the top down.
void pressure(const Rhombus& r, double g, double ptop, const double* rhodz, const double* theta, double* pk) {
  const std::ptrdiff_t n = r.cells(), top = (r.llm - 1) * n;
#pragma omp parallel for schedule(static)
  for (Index ij = r.ij_begin_ext - 1; ij < r.ij_end_ext; ++ij)
    pk[top + ij] = ptop + (0.5 * g) * theta[top + ij] * rhodz[top + ij];
  for (int l = r.llm - 2; l >= 0; --l) {
#pragma omp parallel for schedule(static)
    for (Index ij = r.ij_begin_ext - 1; ij < r.ij_end_ext; ++ij) {
      const std::ptrdiff_t at = l * n + ij;
      pk[at] = pk[at + n] + (0.5 * g) * (theta[at] * rhodz[at] + theta[at + n] * rhodz[at + n]);
    }
  }
}

void bernoulli(const Rhombus& r, const Metrics& m, const Level& x, bool boussinesq, double* b) {
  for (Index ij = r.ij_begin_ext - 1; ij < r.ij_end_ext; ++ij) {
    const double potential = 0.5 * (x.geopot_below[ij] + x.geopot_above[ij]);
    b[ij] = boussinesq ? x.pk[ij] : potential;
    if (boussinesq) x.pk[ij] = potential;
  }
  const auto square = [&](Index e) { return m.le[e] * m.de[e] * (x.u[e] * x.u[e]); };
#pragma GCC ivdep
  for (Index ij = r.ij_begin - 1; ij < r.ij_end; ++ij) {
    const double kinetic = 1 / (4 * m.Ai[ij]) *
                           (square(ij + r.u_right) + square(ij + r.u_rup) + square(ij + r.u_lup) +
                            square(ij + r.u_left) + square(ij + r.u_ldown) + square(ij + r.u_rdown));
    if (m.Ai[ij] > 1e-30) b[ij] = b[ij] + kinetic;
  }
}

void gradients(const Rhombus& r, const Metrics& m, const Level& x, const double* b) {
  const auto gradient = [&](int edge, int neighbour) {
#pragma GCC ivdep
    for (Index ij = r.ij_begin - 1; ij < r.ij_end; ++ij) {
      const Index e = ij + edge, n = ij + neighbour;
      if (m.de[e] > 1)
        x.du[e] =
            x.du[e] + 1 / m.de[e] * (0.5 * (x.theta[ij] + x.theta[n]) * (x.pk[ij] - x.pk[n]) + b[ij] - b[n]);
    }
  };
  gradient(r.u_right, r.t_right);
  gradient(r.u_lup, r.t_lup);
  gradient(r.u_ldown, r.t_ldown);
}

}  // namespace

extern "C" void igcm_c_comp_caldyn_horiz(const Rhombus& r, int caldyn_conserv, int boussinesq, double g,
                                         double ptop, const double* u, const double* rhodz, const double* qu,
                                         const double* theta, double* pk, const double* geopot, double* hflux,
                                         double* convm, double* dtheta_rhodz, double* du, const double* le,
                                         const double* Ai, const double* de, const double* Wee) {
  const std::ptrdiff_t n = r.cells();
  const Metrics m{le, Ai, de, Wee};
  if (boussinesq != 0) pressure(r, g, ptop, rhodz, theta, pk);
  const auto level = [=](Index l) {
    return Level{u + 3 * l * n,  rhodz + l * n,        qu + 3 * l * n, theta + l * n,
                 geopot + l * n, geopot + (l + 1) * n, pk + l * n,     hflux + 3 * l * n,
                 convm + l * n,  dtheta_rhodz + l * n, du + 3 * l * n};
  };
  const Index first_cell = r.ij_begin - 1, end_cell = r.ij_end, first = r.ll_begin - 1, end = r.ll_end;
#pragma omp parallel
  {
    std::vector<double> scratch(static_cast<std::size_t>(3 * n));
#pragma omp for schedule(static)
    for (Index l = first; l < end; ++l) {
      const Level x = level(l);
      fluxes(r, m, x, scratch.data());
      convergence(r, Ai, x.hflux, x.convm);
      convergence(r, Ai, scratch.data(), x.dtheta_rhodz);
    }
#pragma omp for schedule(static)
    for (Index cell = first_cell; cell < end_cell; cell += tile) {
      const Cells cells{cell, std::min(cell + tile, end_cell)};
      for (Index l = first; l < end; ++l) {
        if (caldyn_conserv == 1)
          vorticity_terms<true>(r, cells, m, level(l));
        else
          vorticity_terms<false>(r, cells, m, level(l));
      }
    }
#pragma omp for schedule(static)
    for (Index l = first; l < end; ++l) {
      const Level x = level(l);
      bernoulli(r, m, x, boussinesq != 0, scratch.data());
      gradients(r, m, x, scratch.data());
    }
  }
}
