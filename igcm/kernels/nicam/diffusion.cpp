// Diffusion of a scalar (igcm/kernels/README.md). The same order of operations as diffusion.f90.
#include <algorithm>
#include <vector>

#include "points.hpp"

namespace {

using namespace igcm;
using namespace igcm::nicam;

double vector(double c1, double c2, double c3, double s1, double s2, double s3) {
  return ((2 * c1 - c2 - c3) * s1 + (-c1 + 2 * c2 - c3) * s2 + (-c1 - c2 + 2 * c3) * s3) / 3;
}

constexpr Index tile = 1024;  // its weights stay in the cache while the levels pass

// Cells first..last-1 of a region at all levels. The triangles around them begin a row and a point earlier;
// arrays of a tile count from there: (triangle, component, [corner,] point).
struct Tile {
  const RegionShape& s;
  Index first, last;
  std::vector<double>&weight, &vt;

  Index start() const { return first - s.n1 - 1; }
  Index length() const { return last - start(); }

  // The factors of the values at the three corners of a triangle.
  void combine(const double* c) {
    const Index all = s.points();
    for (Index part = 0; part < 6; ++part) {
      const double *c1 = c + part * 3 * all + start(), *c2 = c1 + all, *c3 = c2 + all;
      double *w1 = weight.data() + part * 3 * length(), *w2 = w1 + length(), *w3 = w2 + length();
      for (Index g = 0; g < length(); ++g) {
        w1[g] = 2 * c1[g] - c2[g] - c3[g];
        w2[g] = -c1[g] + 2 * c2[g] - c3[g];
        w3[g] = -c1[g] - c2[g] + 2 * c3[g];
      }
    }
  }

  void at_triangles(const double* scl, bool singular) {
    const Index n = s.n1, size = length();
    const Index second[2] = {1, 1 + n}, third[2] = {1 + n, n};
    for (Index part = 0; part < 6; ++part) {
      const double* w = weight.data() + part * 3 * size;
      const double *s1 = scl + start(), *s2 = s1 + second[part / 3], *s3 = s1 + third[part / 3];
      double* v = vt.data() + part * size;
      for (Index g = 0; g < size; ++g)
        v[g] = (w[g] * s1[g] + w[size + g] * s2[g] + w[2 * size + g] * s3[g]) / 3;
    }
    if (!singular || start() != begin_triangles(s)) return;
    for (Index d = 0; d < 3; ++d)
      vt[static_cast<std::size_t>(d * size)] = vt[static_cast<std::size_t>((3 + d) * size + 1)];
  }

  void at_cells(bool as_published, const double* kh, const double* c, double* dscl) const {
    const Index n = s.n1, all = s.points(), size = length();
    if (first == begin_own(s)) std::fill(dscl, dscl + first, 0.);
    if (last == end_own(s)) std::fill(dscl + last, dscl + all, 0.);
    for (Index d = 0; d < 3; ++d) {
      const double *w = c + d * 6 * all, *ti = vt.data() + d * size - start(), *tj = ti + 3 * size;
      const double *fi = as_published ? vt.data() - start() : ti, *fj = fi + 3 * size;
      for (Index g = first; g < last; ++g) {
        const double part = 0.5 * (kh[g] + kh[g + 1 + n]) * w[g] * (fi[g] + tj[g]) +
                            0.5 * (kh[g] + kh[g + n]) * w[all + g] * (fj[g] + ti[g - 1]) +
                            0.5 * (kh[g] + kh[g - 1]) * w[2 * all + g] * (fi[g - 1] + tj[g - 1 - n]) +
                            0.5 * (kh[g] + kh[g - 1 - n]) * w[3 * all + g] * (fj[g - 1 - n] + ti[g - 1 - n]) +
                            0.5 * (kh[g] + kh[g - n]) * w[4 * all + g] * (fi[g - 1 - n] + tj[g - n]) +
                            0.5 * (kh[g] + kh[g + 1]) * w[5 * all + g] * (fj[g - n] + ti[g]);
        dscl[g] = d == 0 ? part : dscl[g] + part;
      }
    }
  }
};

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
  const Index all = s.points(), own = end_own(s) - begin_own(s), tiles = (own + tile - 1) / tile;
#pragma omp parallel
  {
    std::vector<double> weight(static_cast<std::size_t>(18 * (tile + s.n1 + 1)));
    std::vector<double> vt(static_cast<std::size_t>(6 * (tile + s.n1 + 1)));
#pragma omp for schedule(static)
    for (Index part = 0; part < s.lall * tiles; ++part) {
      const Index l = part / tiles, first = begin_own(s) + part % tiles * tile;
      Tile cells{s, first, std::min(first + tile, end_own(s)), weight, vt};
      cells.combine(coef_intp + l * 18 * all);
      for (Index layer = l * s.kall; layer < (l + 1) * s.kall; ++layer) {
        cells.at_triangles(scl + layer * all, sgp[l] != 0);
        cells.at_cells(as_published != 0, kh + layer * all, coef_diff + l * 18 * all, dscl + layer * all);
      }
    }
  }
  if (s.have_pl == 0) return;
  for (Index layer = 0; layer < poles * s.kall; ++layer) {
    const Index l = layer / s.kall;
    at_pole(scl_pl + layer * 6, kh_pl + layer * 6, coef_intp_pl + l * 54, coef_diff_pl + l * 15,
            dscl_pl + layer * 6);
  }
}
