// Exner pressure and geopotential (igcm/kernels/README.md). The same order of operations as geopot.f90.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "rhombus.hpp"

namespace {

using igcm::GeopotConstants;
using igcm::Rhombus;

struct Columns {
  const GeopotConstants& k;
  std::ptrdiff_t n, levels;
  double *ps, *pk, *geopot;
  const double *rhodz, *theta;
};

void mass_based(const Columns& x, const double* ak, const double* bk, int first, int last) {
  const GeopotConstants& k = x.k;
  for (std::ptrdiff_t l = 0; l < x.levels; ++l)
    for (int ij = first; ij < last; ++ij) {
      const std::ptrdiff_t at = l * x.n + ij;
      const double p = k.ptop + ak[l] + bk[l] * x.ps[ij];
      const double exner = k.cpp * std::pow(p / k.preff, k.kappa);
      x.pk[at] = exner;
      if (p > 1e-30)
        x.geopot[at + x.n] = x.geopot[at] + (k.g * k.kappa) * x.rhodz[at] * x.theta[at] * exner / p;
    }
}

void incompressible(const Columns& x, int first, int last) {
  for (std::ptrdiff_t l = 0; l < x.levels; ++l)
    for (int ij = first; ij < last; ++ij)
      x.geopot[(l + 1) * x.n + ij] = x.geopot[l * x.n + ij] + x.k.g * x.rhodz[l * x.n + ij];
}

void lagrangian(const Columns& x, int first, int last) {
  const GeopotConstants& k = x.k;
  const std::ptrdiff_t n = x.n, top = (x.levels - 1) * n;
  // pk holds the pressure on the way down.
  for (int ij = first; ij < last; ++ij) x.pk[top + ij] = k.ptop + (0.5 * k.g) * x.rhodz[top + ij];
  for (std::ptrdiff_t l = x.levels - 2; l >= 0; --l)
    for (int ij = first; ij < last; ++ij) {
      const std::ptrdiff_t at = l * n + ij;
      x.pk[at] = x.pk[at + n] + (0.5 * k.g) * (x.rhodz[at] + x.rhodz[at + n]);
    }
  for (int ij = first; ij < last; ++ij) x.ps[ij] = x.pk[ij] + (0.5 * k.g) * x.rhodz[ij];
  for (std::ptrdiff_t l = 0; l < x.levels; ++l)
    for (int ij = first; ij < last; ++ij) {
      const std::ptrdiff_t at = l * n + ij;
      const double p = x.pk[at];
      const double exner = k.cpp * std::pow(p / k.preff, k.kappa);
      x.geopot[at + n] = x.geopot[at] + (k.g * k.kappa) * x.rhodz[at] * x.theta[at] * exner / p;
      x.pk[at] = exner;
    }
}

}  // namespace

extern "C" void igcm_c_comp_geopot(const Rhombus& r, int caldyn_eta, int boussinesq, const GeopotConstants& k,
                                   double* ps, const double* rhodz, const double* theta, double* pk,
                                   double* geopot, const double* mass_ak, const double* mass_bk) {
  const Columns x{k, r.cells(), r.llm, ps, pk, geopot, rhodz, theta};
  constexpr int chunk = 256;  // columns of a chunk stay in the cache on the way up
#pragma omp parallel for schedule(static)
  for (int first = r.ij_begin_ext - 1; first < r.ij_end_ext; first += chunk) {
    const int last = std::min(first + chunk, r.ij_end_ext);
    if (caldyn_eta == 1)
      mass_based(x, mass_ak, mass_bk, first, last);
    else if (boussinesq != 0)
      incompressible(x, first, last);
    else
      lagrangian(x, first, last);
  }
}
