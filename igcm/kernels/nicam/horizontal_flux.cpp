// Horizontal mass fluxes and the centres of swept areas (igcm/kernels/README.md). The same order of
// operations as horizontal_flux.f90.
#include <algorithm>
#include <array>
#include <vector>

#include "points.hpp"

namespace {

using namespace igcm;
using namespace igcm::nicam;

constexpr Index rarea = 1, w1 = 2, w2 = 3, w3 = 4;  // components of GMTR_p and GMTR_t

struct Geometry {
  const double *p, *t, *a, *xr;
  Index lall, all;

  // GMTR_p, GMTR_t, GMTR_a (HN) and GRD_xr of a region: (component, [triangle or wall,] region, point).
  const double* area(Index l) const { return p + (rarea * lall + l) * all; }
  const double* weight(Index component, Index triangle, Index l) const {
    return t + ((component * 2 + triangle) * lall + l) * all;
  }
  const double* normal(Index d, Index wall, Index l) const { return a + ((d * 3 + wall) * lall + l) * all; }
  const double* middle(Index d, Index wall, Index l) const { return xr + ((d * 3 + wall) * lall + l) * all; }
};

// tri: (quantity, triangle, point).
void at_triangles(const RegionShape& s, bool singular, const Geometry& m, Index l, const double* q,
                  double* tri) {
  const Index n = s.n1, all = n * n;
  const Index second[2] = {1, 1 + n}, third[2] = {1 + n, n};
  for (Index t = 0; t < 2; ++t) {
    const double *a = m.weight(w1, t, l), *b = m.weight(w2, t, l), *c = m.weight(w3, t, l);
    for (Index j = first_own(s) - 1; j <= last_own(s); ++j)
#pragma GCC ivdep
      for (Index g = flat(s, first_own(s) - 1, j); g <= flat(s, last_own(s), j); ++g)
        tri[t * all + g] = q[g] * a[g] + q[g + second[t]] * b[g] + q[g + third[t]] * c[g];
  }
  if (singular) tri[begin_triangles(s)] = tri[all + begin_triangles(s) + 1];
}

// The fields flx (face, region, level, point) and xc (component, wall, region, level, point), at a level.
struct Level {
  double *flx, *xc;
  Index field;  // values of a whole field of one face
};

void clear_halo(const RegionShape& s, const Level& x) {
  const Index n = s.n1;
  const auto clear = [&](double* field) {
    for (Index j = 0; j < n; ++j) {
      const bool own = j >= first_own(s) && j <= last_own(s);
      double* row = field + j * n;
      std::fill(row, row + (own ? first_own(s) : n), 0.);
      if (own) std::fill(row + last_own(s) + 1, row + n, 0.);
    }
  };
  for (Index m = 0; m < 6; ++m) clear(x.flx + m * x.field);
  for (Index m = 0; m < 9; ++m) clear(x.xc + m * x.field);
}

// The walls of one kind: their two triangles are those of a and b, at offsets from the point.
struct Wall {
  Index kind, triangle_a, offset_a, triangle_b, offset_b, across, i_first, j_first;
};

void walls(const RegionShape& s, const Geometry& m, Index l, double dt, const Wall& wall, const double* tri,
           const Level& x) {
  const Index all = m.all;
  const double* area = m.area(l);
  const double *nx = m.normal(0, wall.kind, l), *ny = m.normal(1, wall.kind, l),
               *nz = m.normal(2, wall.kind, l);
  const double *xr = m.middle(0, wall.kind, l), *yr = m.middle(1, wall.kind, l),
               *zr = m.middle(2, wall.kind, l);
  const double *a = tri + wall.triangle_a * all + wall.offset_a,
               *b = tri + wall.triangle_b * all + wall.offset_b;
  double *own = x.flx + wall.kind * x.field, *opposite = x.flx + (wall.kind + 3) * x.field + wall.across;
  double *xc = x.xc + wall.kind * x.field, *yc = xc + 3 * x.field, *zc = xc + 6 * x.field;
  for (Index j = wall.j_first; j <= last_own(s); ++j)
#pragma GCC ivdep
    for (Index g = flat(s, wall.i_first, j); g <= flat(s, last_own(s), j); ++g) {
      const double rho2 = a[g] + b[g], vx2 = a[2 * all + g] + b[2 * all + g];
      const double vy2 = a[4 * all + g] + b[4 * all + g], vz2 = a[6 * all + g] + b[6 * all + g];
      const double r = 1 / greatest(rho2, eps);
      const double f = 0.5 * (vx2 * nx[g] + vy2 * ny[g] + vz2 * nz[g]);
      own[g] = f * area[g] * dt;
      opposite[g] = -f * area[g + wall.across] * dt;
      xc[g] = xr[g] - vx2 * r * dt * 0.5;
      yc[g] = yr[g] - vy2 * r * dt * 0.5;
      zc[g] = zr[g] - vz2 * r * dt * 0.5;
    }
}

// Fields of a pole at a level; those with components are 12 apart. Entry 0 of flx and xc is left as it is.
void at_pole(double dt, const std::array<const double*, 4>& q, double area, const double* t, const double* a,
             const double* xr, double* flx, double* xc, Index stride) {
  double tri[4][6];
  for (std::size_t k = 0; k < 4; ++k)
    for (Index v = 1; v < 6; ++v)
      tri[k][v] = q[k][0] * t[12 * w1 + v] + q[k][v] * t[12 * w2 + v] + q[k][next_pl[v]] * t[12 * w3 + v];
  for (Index v = 1; v < 6; ++v) {
    const Index p = previous_pl[v];
    const double rho2 = tri[0][p] + tri[0][v];
    const double v2[3] = {tri[1][p] + tri[1][v], tri[2][p] + tri[2][v], tri[3][p] + tri[3][v]};
    const double r = 1 / greatest(rho2, eps);
    const double f = 0.5 * (v2[0] * a[v] + v2[1] * a[12 + v] + v2[2] * a[24 + v]);
    flx[v] = f * area * dt;
    for (Index d = 0; d < 3; ++d) xc[d * stride + v] = xr[12 * d + v] - v2[d] * r * dt * 0.5;
  }
}

}  // namespace

extern "C" void igcm_c_dyn_horiz_adv_flux(const RegionShape& s, const int* sgp, double dt, const double* rho,
                                          const double* rho_pl, const double* vx, const double* vx_pl,
                                          const double* vy, const double* vy_pl, const double* vz,
                                          const double* vz_pl, const double* gmtr_p, const double* gmtr_p_pl,
                                          const double* gmtr_t, const double* gmtr_t_pl, const double* gmtr_a,
                                          const double* gmtr_a_pl, const double* xr, const double* xr_pl,
                                          double* flx, double* flx_pl, double* xc, double* xc_pl) {
  const Index n = s.n1, all = s.points(), layers = static_cast<Index>(s.lall) * s.kall;
  const Geometry m{gmtr_p, gmtr_t, gmtr_a, xr, s.lall, all};
  const Index own = first_own(s), halo = own - 1;
  const Wall ai{0, 1, -n, 0, 0, 1, halo, own}, aij{1, 0, 0, 1, 0, n + 1, halo, halo},
      aj{2, 1, 0, 0, -1, n, own, halo};
#pragma omp parallel
  {
    std::vector<double> tri(static_cast<std::size_t>(8 * all));
#pragma omp for schedule(static)
    for (Index layer = 0; layer < layers; ++layer) {
      const Index l = layer / s.kall;
      const Level x{flx + layer * all, xc + layer * all, layers * all};
      const std::array<const double*, 4> q{rho, vx, vy, vz};
      for (std::size_t k = 0; k < 4; ++k)
        at_triangles(s, sgp[l] != 0, m, l, q[k] + layer * all, tri.data() + static_cast<Index>(k) * 2 * all);
      clear_halo(s, x);
      for (const Wall& wall : {ai, aij, aj}) walls(s, m, l, dt, wall, tri.data(), x);
      if (sgp[l] != 0) x.flx[5 * x.field + begin_own(s)] = 0;
    }
  }
  if (s.have_pl == 0) return;
  for (Index layer = 0; layer < poles * s.kall; ++layer) {
    const Index l = layer / s.kall, at = 6 * layer;
    at_pole(dt, {rho_pl + at, vx_pl + at, vy_pl + at, vz_pl + at}, gmtr_p_pl[(rarea * 2 + l) * 6],
            gmtr_t_pl + 6 * l, gmtr_a_pl + 6 * l, xr_pl + 6 * l, flx_pl + at, xc_pl + at, poles * s.kall * 6);
  }
}
