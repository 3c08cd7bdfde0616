// Potential vorticity (igcm/kernels/README.md). The same order of operations as pvort.f90. Indices count from
// 0 here; the offsets of the rhombus are differences, so they are the same.
#include <cstddef>

#include "rhombus.hpp"

namespace {

using igcm::Rhombus;
using Index = std::ptrdiff_t;

struct Layer {
  double *rhodz, *theta, *qu, *qv;
  const double *u, *theta_rhodz;
};

void mass_of_layer(const Rhombus& r, double g, double dak, double dbk, const double* ps, const Layer& x) {
  for (int ij = r.ij_begin_ext - 1; ij < r.ij_end_ext; ++ij) {
    const double m = (dak + ps[ij] * dbk) / g;
    x.rhodz[ij] = m;
    x.theta[ij] = m > 0 ? x.theta_rhodz[ij] / m : 0;
  }
}

void theta_of_layer(const Rhombus& r, const Layer& x) {
  for (int ij = r.ij_begin_ext - 1; ij < r.ij_end_ext; ++ij) x.theta[ij] = x.theta_rhodz[ij] / x.rhodz[ij];
}

void at_vertices(const Rhombus& r, const double* Av, const double* de, const double* Riv2, const double* fv,
                 const Layer& x) {
  const std::ptrdiff_t n = r.cells();
  const double *up = Riv2 + n, *rup = Riv2, *lup = Riv2 + 2 * n;
  const double *ldown = Riv2 + 3 * n, *down = Riv2 + 4 * n, *rdown = Riv2 + 5 * n;
#pragma GCC ivdep
  for (Index ij = r.ij_begin_ext - 1; ij < r.ij_end_ext; ++ij) {
    Index a = ij + r.u_rup, b = ij + r.t_rup + r.u_left, c = ij + r.u_lup, v = ij + r.z_up;
    double eta = 1 / Av[v] * (-x.u[a] * de[a] + -x.u[b] * de[b] - x.u[c] * de[c]);
    double h = up[ij] * x.rhodz[ij] + ldown[ij + r.t_rup] * x.rhodz[ij + r.t_rup] +
               rdown[ij + r.t_lup] * x.rhodz[ij + r.t_lup];
    x.qv[v] = h > 0 ? (eta + fv[v]) / h : 0;

    a = ij + r.u_ldown, b = ij + r.t_ldown + r.u_right, c = ij + r.u_rdown, v = ij + r.z_down;
    eta = 1 / Av[v] * (x.u[a] * de[a] + x.u[b] * de[b] + x.u[c] * de[c]);
    h = down[ij] * x.rhodz[ij] + rup[ij + r.t_ldown] * x.rhodz[ij + r.t_ldown] +
        lup[ij + r.t_rdown] * x.rhodz[ij + r.t_rdown];
    x.qv[v] = h > 0 ? (eta + fv[v]) / h : 0;
  }
}

void at_edges(const Rhombus& r, const Layer& x) {
#pragma GCC ivdep
  for (Index ij = r.ij_begin - 1; ij < r.ij_end; ++ij) {
    x.qu[ij + r.u_right] = 0.5 * (x.qv[ij + r.z_rdown] + x.qv[ij + r.z_rup]);
    x.qu[ij + r.u_lup] = 0.5 * (x.qv[ij + r.z_up] + x.qv[ij + r.z_lup]);
    x.qu[ij + r.u_ldown] = 0.5 * (x.qv[ij + r.z_ldown] + x.qv[ij + r.z_down]);
  }
}

}  // namespace

extern "C" void igcm_c_comp_pvort(const Rhombus& r, int caldyn_eta, double g, const double* ps,
                                  const double* u, const double* theta_rhodz, double* rhodz, double* theta,
                                  double* qu, double* qv, const double* Av, const double* de,
                                  const double* Riv2, const double* fv, const double* mass_dak,
                                  const double* mass_dbk) {
  const std::ptrdiff_t n = r.cells();
#pragma omp parallel for schedule(static)
  for (int l = r.ll_begin - 1; l < r.ll_end; ++l) {
    const Layer x{rhodz + l * n,  theta + l * n, qu + 3 * l * n,
                  qv + 2 * l * n, u + 3 * l * n, theta_rhodz + l * n};
    if (caldyn_eta == 1)
      mass_of_layer(r, g, mass_dak[l], mass_dbk[l], ps, x);
    else
      theta_of_layer(r, x);
    at_vertices(r, Av, de, Riv2, fv, x);
    at_edges(r, x);
  }
}
