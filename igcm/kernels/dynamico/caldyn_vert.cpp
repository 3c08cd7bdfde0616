// Vertical mass flux and transport (igcm/kernels/README.md). The same order of operations as caldyn_vert.f90.
#include <cstddef>

#include "rhombus.hpp"

using igcm::Rhombus;

extern "C" void igcm_c_comp_caldyn_vert(const Rhombus& r, int omp_begin, int omp_end, double g,
                                        const double* u, const double* theta, const double* rhodz,
                                        const double* bp, double* convm, double* wflux, double* wwuu,
                                        double* dps, double* dtheta_rhodz, double* du) {
  const std::ptrdiff_t n = r.cells();
  const int edge[3] = {r.u_right, r.u_lup, r.u_ldown}, neighbour[3] = {r.t_right, r.t_lup, r.t_ldown};
#pragma omp parallel
  {
    for (int l = r.llm - 2; l >= 0; --l) {
#pragma omp for schedule(static)
      for (int ij = omp_begin - 1; ij < omp_end; ++ij)
        convm[l * n + ij] = convm[l * n + ij] + convm[(l + 1) * n + ij];
    }
#pragma omp for schedule(static) nowait
    for (int ij = r.ij_begin - 1; ij < r.ij_end; ++ij) dps[ij] = convm[ij] * g;
#pragma omp for schedule(static)
    for (int l = 1; l < r.llm; ++l) {
      double *w = wflux + l * n, *ww = wwuu + 3 * l * n;
      const double *upper = u + 3 * l * n, *lower = upper - 3 * n;
      for (int ij = r.ij_begin - 1; ij < r.ij_end; ++ij) w[ij] = bp[l] * convm[ij] - convm[l * n + ij];
      for (int k = 0; k < 3; ++k)
#pragma GCC ivdep
        for (std::ptrdiff_t ij = r.ij_begin - 1; ij < r.ij_end; ++ij) {
          const std::ptrdiff_t e = ij + edge[k];
          ww[e] = 0.5 * (w[ij] + w[ij + neighbour[k]]) * (upper[e] - lower[e]);
        }
    }
#pragma omp for schedule(static)
    for (int l = 0; l < r.llm; ++l) {
      double *dtheta = dtheta_rhodz + l * n, *du_l = du + 3 * l * n;
      const double *t = theta + l * n, *w = wflux + l * n, *h = rhodz + l * n, *ww = wwuu + 3 * l * n;
      if (l < r.llm - 1)
        for (int ij = r.ij_begin - 1; ij < r.ij_end; ++ij)
          dtheta[ij] = dtheta[ij] - 0.5 * (w[n + ij] * (t[ij] + t[n + ij]));
      if (l > 0)
        for (int ij = r.ij_begin - 1; ij < r.ij_end; ++ij)
          dtheta[ij] = dtheta[ij] + 0.5 * (w[ij] * (t[ij - n] + t[ij]));
      for (int k = 0; k < 3; ++k)
#pragma GCC ivdep
        for (std::ptrdiff_t ij = r.ij_begin - 1; ij < r.ij_end; ++ij) {
          const std::ptrdiff_t e = ij + edge[k];
          du_l[e] = du_l[e] - (ww[3 * n + e] + ww[e]) / (h[ij] + h[ij + neighbour[k]]);
        }
    }
  }
}
