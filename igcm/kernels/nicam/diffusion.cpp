// Diffusion of a scalar (ICOATMOS, section 3.2). The same order of operations as diffusion.f90.
#include <algorithm>
#include <vector>

#include "points.hpp"

namespace {

using namespace igcm;
using namespace igcm::nicam;

double vector(double c1, double c2, double c3, double s1, double s2, double s3) {
  return ((2 * c1 - c2 - c3) * s1 + (-c1 + 2 * c2 - c3) * s2 + (-c1 - c2 + 2 * c3) * s3) / 3;
}

// vt: (triangle, component, point); c: (triangle, component, corner, point).
void at_triangles(const RegionShape& s, bool singular, const double* scl, const double* c, double* vt) {
  const Index n = s.n1, all = n * n;
  const Index second[2] = {1, 1 + n}, third[2] = {1 + n, n};
  for (Index t = 0; t < 2; ++t)
    for (Index d = 0; d < 3; ++d) {
      const double* w = c + (t * 3 + d) * 3 * all;
      double* v = vt + (t * 3 + d) * all;
      for (Index g = begin_triangles(s); g < end_own(s); ++g)
        v[g] = vector(w[g], w[all + g], w[2 * all + g], scl[g], scl[g + second[t]], scl[g + third[t]]);
    }
  if (!singular) return;
  for (Index d = 0; d < 3; ++d) vt[d * all + begin_triangles(s)] = vt[(3 + d) * all + begin_triangles(s) + 1];
}

void at_cells(const RegionShape& s, bool as_published, const double* kh, const double* c, const double* vt,
              double* dscl) {
  const Index n = s.n1, all = n * n;
  std::fill(dscl, dscl + begin_own(s), 0.);
  std::fill(dscl + end_own(s), dscl + all, 0.);
  for (Index g = begin_own(s); g < end_own(s); ++g) {
    const double k1 = 0.5 * (kh[g] + kh[g + 1 + n]), k2 = 0.5 * (kh[g] + kh[g + n]),
                 k3 = 0.5 * (kh[g] + kh[g - 1]);
    const double k4 = 0.5 * (kh[g] + kh[g - 1 - n]), k5 = 0.5 * (kh[g] + kh[g - n]),
                 k6 = 0.5 * (kh[g] + kh[g + 1]);
    double sum = 0;
    for (Index d = 0; d < 3; ++d) {
      const double *w = c + d * 6 * all + g, *ti = vt + d * all + g, *tj = vt + (3 + d) * all + g;
      const Index f = as_published ? 0 : d;
      const double *fi = vt + f * all + g, *fj = vt + (3 + f) * all + g;
      const double part = k1 * w[0] * (fi[0] + tj[0]) + k2 * w[all] * (fj[0] + ti[-1]) +
                          k3 * w[2 * all] * (fi[-1] + tj[-1 - n]) +
                          k4 * w[3 * all] * (fj[-1 - n] + ti[-1 - n]) +
                          k5 * w[4 * all] * (fi[-1 - n] + tj[-n]) + k6 * w[5 * all] * (fj[-n] + ti[0]);
      sum = d == 0 ? part : sum + part;
    }
    dscl[g] = sum;
  }
}

void at_pole(const double* scl, const double* kh, const double* c, const double* cd, double* dscl) {
  double vt[3][6];
  for (Index d = 0; d < 3; ++d)
    for (Index v = 1; v < 6; ++v) {
      const double* w = c + d * 18 + v;
      vt[d][v] = vector(w[0], w[6], w[12], scl[0], scl[v], scl[next_pl[v]]);
    }
  std::fill(dscl, dscl + 6, 0.);
  for (Index v = 1; v < 6; ++v) {
    const Index p = previous_pl[v];
    dscl[0] = dscl[0] + (cd[v - 1] * (vt[0][p] + vt[0][v]) + cd[5 + v - 1] * (vt[1][p] + vt[1][v]) +
                         cd[10 + v - 1] * (vt[2][p] + vt[2][v])) *
                            0.5 * (kh[0] + kh[v]);
  }
}

}  // namespace

extern "C" void igcm_c_dyn_diffusion(const RegionShape& s, const int* sgp, int as_published,
                                     const double* scl, const double* scl_pl, const double* kh,
                                     const double* kh_pl, const double* coef_intp, const double* coef_intp_pl,
                                     const double* coef_diff, const double* coef_diff_pl, double* dscl,
                                     double* dscl_pl) {
  const Index all = s.points(), layers = static_cast<Index>(s.lall) * s.kall;
#pragma omp parallel
  {
    std::vector<double> vt(static_cast<std::size_t>(6 * all));
#pragma omp for schedule(static)
    for (Index layer = 0; layer < layers; ++layer) {
      const Index l = layer / s.kall;
      at_triangles(s, sgp[l] != 0, scl + layer * all, coef_intp + l * 18 * all, vt.data());
      at_cells(s, as_published != 0, kh + layer * all, coef_diff + l * 18 * all, vt.data(),
               dscl + layer * all);
    }
  }
  if (s.have_pl == 0) return;
  for (Index layer = 0; layer < poles * s.kall; ++layer) {
    const Index l = layer / s.kall;
    at_pole(scl_pl + layer * 6, kh_pl + layer * 6, coef_intp_pl + l * 54, coef_diff_pl + l * 15,
            dscl_pl + layer * 6);
  }
}
