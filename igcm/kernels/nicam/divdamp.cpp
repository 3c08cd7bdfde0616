// Gradient of the three-dimensional divergence (igcm/kernels/README.md). The same order of operations as
// divdamp.f90.
#include <algorithm>
#include <array>
#include <vector>

#include "points.hpp"

namespace {

using namespace igcm;
using namespace igcm::nicam;

// The arrays of a region, or of a pole region: (level, point) with `length` points.
struct Column {
  Index length;
  std::array<const double*, 3> rhogv;
  const double *rhogw, *rgsqrth, *rgam, *rgamh, *c2wfact, *rdgz;
  std::array<double*, 3> ddiv;
};

void vertical_wind(const RegionShape& s, const Column& x, Index k, double* w) {
  const Index n = x.length, up = k * n, down = up - n, stride = s.kall * n;
  for (Index g = 0; g < n; ++g) {
    const double* c = x.c2wfact + up + g;
    w[g] = (c[0] * x.rhogv[0][up + g] + c[stride] * x.rhogv[0][down + g] +
            c[2 * stride] * x.rhogv[1][up + g] + c[3 * stride] * x.rhogv[1][down + g] +
            c[4 * stride] * x.rhogv[2][up + g] + c[5 * stride] * x.rhogv[2][down + g]) *
               x.rgamh[up + g] +
           x.rhogw[up + g] * x.rgsqrth[up + g];
  }
}

// The divergence in the triangle g, g2, g3. c: weights of corners (stride apart) of the three components.
double divergence(const double* c, Index stride, const double* const v[3], const double* w,
                  const double* w_above, double rdgz, Index g, Index g2, Index g3) {
  return c[0] * v[0][g] + c[stride] * v[0][g2] + c[2 * stride] * v[0][g3] + c[3 * stride] * v[1][g] +
         c[4 * stride] * v[1][g2] + c[5 * stride] * v[1][g3] + c[6 * stride] * v[2][g] +
         c[7 * stride] * v[2][g2] + c[8 * stride] * v[2][g3] +
         ((w_above[g] + w_above[g2] + w_above[g3]) - (w[g] + w[g2] + w[g3])) / 3 * rdgz;
}

void at_cells(const RegionShape& s, const double* c, const double* ti, const double* tj, double* ddiv) {
  const Index n = s.n1, all = n * n;
  std::fill(ddiv, ddiv + begin_own(s), 0.);
  std::fill(ddiv + end_own(s), ddiv + all, 0.);
  for (Index g = begin_own(s); g < end_own(s); ++g)
    ddiv[g] = c[g] * (ti[g] + tj[g]) + c[all + g] * (tj[g] + ti[g - 1]) +
              c[2 * all + g] * (ti[g - 1] + tj[g - 1 - n]) +
              c[3 * all + g] * (tj[g - 1 - n] + ti[g - 1 - n]) +
              c[4 * all + g] * (ti[g - 1 - n] + tj[g - n]) + c[5 * all + g] * (tj[g - n] + ti[g]);
}

// Scratch of a thread: wind along three axes and divergence in two triangles.
struct Scratch {
  std::vector<double> v, tri;
};

void layer(const RegionShape& s, const Column& x, bool singular, Index k, const double* w,
           const double* coef_intp, const double* coef_diff, Scratch& scratch) {
  const Index n = s.n1, all = x.length;
  const double* v[3];
  for (Index d = 0; d < 3; ++d) {
    double* component = scratch.v.data() + d * all;
    for (Index g = 0; g < all; ++g)
      component[g] = x.rhogv[static_cast<std::size_t>(d)][k * all + g] * x.rgam[k * all + g];
    v[d] = component;
  }
  double *ti = scratch.tri.data(), *tj = ti + all;
  const double *below = w + k * all, *above = below + all;
  for (Index g = begin_triangles(s); g < end_own(s); ++g) {
    ti[g] = divergence(coef_intp + g, all, v, below, above, x.rdgz[k], g, g + 1, g + 1 + n);
    tj[g] = divergence(coef_intp + 9 * all + g, all, v, below, above, x.rdgz[k], g, g + 1 + n, g + n);
  }
  if (singular) ti[begin_triangles(s)] = tj[begin_triangles(s) + 1];
  for (std::size_t d = 0; d < 3; ++d)
    at_cells(s, coef_diff + static_cast<Index>(d) * 6 * all, ti, tj, x.ddiv[d] + k * all);
}

void pole(const RegionShape& s, const Column& x, const double* coef_intp, const double* coef_diff) {
  std::vector<double> w(static_cast<std::size_t>(6 * s.kall));
  for (Index k = s.kmin; k < s.kmax; ++k) vertical_wind(s, x, k, w.data() + 6 * k);
  for (double* d : x.ddiv) std::fill(d + 6 * (s.kmin - 2), d + 6 * (s.kmax + 1), 0.);
  for (Index k = s.kmin - 1; k < s.kmax; ++k) {
    double scaled[3][6], tri[6];
    for (std::size_t d = 0; d < 3; ++d)
      for (Index g = 0; g < 6; ++g) scaled[d][g] = x.rhogv[d][6 * k + g] * x.rgam[6 * k + g];
    const double* const v[3] = {scaled[0], scaled[1], scaled[2]};
    for (Index g = 1; g < 6; ++g)
      tri[g] = divergence(coef_intp + g, 6, v, w.data() + 6 * k, w.data() + 6 * (k + 1), x.rdgz[k], 0, g,
                          next_pl[g]);
    for (Index g = 1; g < 6; ++g)
      for (std::size_t d = 0; d < 3; ++d) {
        double& sum = x.ddiv[d][6 * k];
        sum = sum + coef_diff[5 * static_cast<Index>(d) + g - 1] * (tri[previous_pl[g]] + tri[g]);
      }
  }
}

}  // namespace

extern "C" void igcm_c_dyn_divdamp(
    const RegionShape& s, const int* sgp, const double* rhogvx, const double* rhogvx_pl, const double* rhogvy,
    const double* rhogvy_pl, const double* rhogvz, const double* rhogvz_pl, const double* rhogw,
    const double* rhogw_pl, const double* coef_intp, const double* coef_intp_pl, const double* coef_diff,
    const double* coef_diff_pl, const double* rgsqrth, const double* rgsqrth_pl, const double* rgam,
    const double* rgam_pl, const double* rgamh, const double* rgamh_pl, const double* c2wfact,
    const double* c2wfact_pl, const double* rdgz, double* ddivdx, double* ddivdx_pl, double* ddivdy,
    double* ddivdy_pl, double* ddivdz, double* ddivdz_pl) {
  const Index all = s.points();
  std::vector<double> w(static_cast<std::size_t>(all * s.kall));
#pragma omp parallel
  {
    Scratch scratch{std::vector<double>(static_cast<std::size_t>(3 * all)),
                    std::vector<double>(static_cast<std::size_t>(2 * all))};
    for (Index l = 0; l < s.lall; ++l) {
      const Index at = l * s.kall * all;
      const Column x{all,
                     {rhogvx + at, rhogvy + at, rhogvz + at},
                     rhogw + at,
                     rgsqrth + at,
                     rgam + at,
                     rgamh + at,
                     c2wfact + 6 * at,
                     rdgz,
                     {ddivdx + at, ddivdy + at, ddivdz + at}};
#pragma omp for schedule(static)
      for (Index k = s.kmin - 1; k <= s.kmax; ++k) {
        if (k == s.kmin - 1 || k == s.kmax)
          std::fill_n(w.data() + k * all, all, 0.);
        else
          vertical_wind(s, x, k, w.data() + k * all);
      }
#pragma omp for schedule(static)
      for (Index k = s.kmin - 2; k <= s.kmax; ++k) {
        if (k >= s.kmin - 1 && k < s.kmax)
          layer(s, x, sgp[l] != 0, k, w.data(), coef_intp + l * 18 * all, coef_diff + l * 18 * all, scratch);
        else
          for (double* d : x.ddiv) std::fill_n(d + k * all, all, 0.);
      }
    }
  }
  if (s.have_pl == 0) return;
  for (Index l = 0; l < poles; ++l) {
    const Index at = l * s.kall * 6;
    pole(s,
         {6,
          {rhogvx_pl + at, rhogvy_pl + at, rhogvz_pl + at},
          rhogw_pl + at,
          rgsqrth_pl + at,
          rgam_pl + at,
          rgamh_pl + at,
          c2wfact_pl + 6 * at,
          rdgz,
          {ddivdx_pl + at, ddivdy_pl + at, ddivdz_pl + at}},
         coef_intp_pl + l * 54, coef_diff_pl + l * 15);
  }
}
