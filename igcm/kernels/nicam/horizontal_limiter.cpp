// Horizontal flux limiter (igcm/kernels/README.md). The same order of operations as horizontal_limiter.f90,
// where the contracts of the two halves are.
#include <algorithm>
#include <array>
#include <vector>

#include "points.hpp"

namespace {

using namespace igcm;
using namespace igcm::nicam;

// Bounds of what flows in through faces 0..5: (face, point). No bound (+-big) where nothing flows in.
struct Inflow {
  explicit Inflow(const RegionShape& s)
      : all(s.points()), least(static_cast<std::size_t>(6 * all)), most(static_cast<std::size_t>(6 * all)) {}
  Index all;
  std::vector<double> least, most;
};

struct Bounds {
  double least, most;
};
Bounds bounds(double a, double b, double c, double d) { return {least(a, b, c, d), greatest(a, b, c, d)}; }

// Bounds of the inflow into the point through the face (c = 1), or into the cell across it (c = 0).
struct BothSides {
  double least_own, least_across, most_own, most_across;
};
BothSides both_sides(double c, Bounds b) {
  return {c * b.least + (1 - c) * big, c * big + (1 - c) * b.least, c * b.most + (1 - c) * (-big),
          c * (-big) + (1 - c) * b.most};
}

// c: the mask of faces 0..2.
void inflow(const RegionShape& s, bool singular, const double* q, const std::array<const double*, 3>& c,
            Inflow& x) {
  const Index n = s.n1, all = x.all;
  const Index across[3] = {1, 1 + n, n};
  const auto face = [&](std::size_t m, Index g, double qa, double qb, double qc, double qd) {
    const BothSides b = both_sides(c[m][g], bounds(qa, qb, qc, qd));
    const Index own = static_cast<Index>(m) * all + g,
                other = static_cast<Index>(m + 3) * all + g + across[m];
    x.least[static_cast<std::size_t>(own)] = b.least_own;
    x.least[static_cast<std::size_t>(other)] = b.least_across;
    x.most[static_cast<std::size_t>(own)] = b.most_own;
    x.most[static_cast<std::size_t>(other)] = b.most_across;
  };
  for (Index j = first_own(s) - 1; j <= last_own(s); ++j)
    for (Index g = flat(s, first_own(s) - 1, j); g <= flat(s, last_own(s), j); ++g) {
      // Indices before the first point clamp to it.
      face(0, g, q[g], q[std::max<Index>(g - n, 0)], q[g + 1], q[g + 1 + n]);
      face(1, g, q[g], q[g + 1], q[g + 1 + n], q[g + n]);
      face(2, g, q[g], q[g + 1 + n], q[g + n], q[std::max<Index>(g - 1, 0)]);
    }
  const Index corner = begin_triangles(s);
  if (singular) face(1, corner, q[corner], q[corner + 1 + n], q[corner + 2 + n], q[corner + n]);
}

struct Outflow {
  double least, most;
};

Outflow outflow(double q, double d, double lo, double hi, double c_in, double c_out, double pmin,
                double pmax) {
  const double z = zero_flux(c_out);
  return {(q - pmax - hi * (1 - c_in - c_out + d)) / (c_out + z) * (1 - z) + q * z,
          (q - pmin - lo * (1 - c_in - c_out + d)) / (c_out + z) * (1 - z) + q * z};
}

// ch: six faces, `face` values apart.
void outflows(const RegionShape& s, const double* q, const double* d, const double* ch, Index face,
              const Inflow& x, double* least_out, double* most_out) {
  const Index n = s.n1, all = x.all;
  std::copy(q, q + all, least_out);
  std::copy(q, q + all, most_out);
  for (Index j = first_own(s); j <= last_own(s); ++j)
#pragma GCC ivdep
    for (Index g = j * n + first_own(s); g <= j * n + last_own(s); ++g) {
      const double *l = x.least.data() + g, *h = x.most.data() + g;
      double c[6], m[6];
      for (Index f = 0; f < 6; ++f) {
        c[f] = ch[f * face + g];
        m[f] = least(c[f], 0.);
      }
      const double lo = least(q[g], l[0], l[all], l[2 * all], l[3 * all], l[4 * all], l[5 * all]);
      const double hi = greatest(q[g], h[0], h[all], h[2 * all], h[3 * all], h[4 * all], h[5 * all]);
      const double c_in = m[0] + m[1] + m[2] + m[3] + m[4] + m[5];
      const double c_out = c[0] - m[0] + c[1] - m[1] + c[2] - m[2] + c[3] - m[3] + c[4] - m[4] + c[5] - m[5];
      const double pmin = m[0] * l[0] + m[1] * l[all] + m[2] * l[2 * all] + m[3] * l[3 * all] +
                          m[4] * l[4 * all] + m[5] * l[5 * all];
      const double pmax = m[0] * h[0] + m[1] * h[all] + m[2] * h[2 * all] + m[3] * h[3 * all] +
                          m[4] * h[4 * all] + m[5] * h[5 * all];
      const Outflow out = outflow(q[g], d[g], lo, hi, c_in, c_out, pmin, pmax);
      least_out[g] = out.least;
      most_out[g] = out.most;
    }
}

double limited(double q, double c, const BothSides& in, double least_own, double most_own,
               double least_across, double most_across) {
  const double a = c * least(greatest(q, in.least_own), in.most_own) +
                   (1 - c) * least(greatest(q, in.least_across), in.most_across);
  return c * greatest(least(a, most_across), least_across) +
         (1 - c) * greatest(least(a, most_own), least_own);
}

// own and opposite: the faces m of points and m + 3 of the points across, which are the same faces.
void limit(const RegionShape& s, Index m, Index across, const double* c, const Inflow& x,
           const double* qout_min, const double* qout_max, double* own, double* opposite) {
  const double *l = x.least.data() + m * x.all, *h = x.most.data() + m * x.all;
  const double *l_across = x.least.data() + (m + 3) * x.all, *h_across = x.most.data() + (m + 3) * x.all;
  for (Index j = first_own(s) - 1; j <= last_own(s); ++j)
#pragma GCC ivdep
    for (Index g = flat(s, first_own(s) - 1, j); g <= flat(s, last_own(s), j); ++g) {
      const Index o = g + across;
      own[g] = limited(own[g], c[g], {l[g], l_across[o], h[g], h_across[o]}, qout_min[g], qout_max[g],
                       qout_min[o], qout_max[o]);
      opposite[o] = own[g];
    }
}

BothSides pole_inflow(const double* q, double c, Index v) {
  return both_sides(c, bounds(q[0], q[v], q[previous_pl[v]], q[next_pl[v]]));
}

void pole_outflow(const double* q, double d, const double* ch, const double* c, double* qout_min,
                  double* qout_max) {
  double lo = q[0], hi = q[0], c_in = 0, c_out = 0, pmin = 0, pmax = 0;
  for (Index v = 1; v < 6; ++v) {
    const BothSides in = pole_inflow(q, c[v], v);
    lo = least(lo, in.least_own);
    hi = greatest(hi, in.most_own);
    c_in = c_in + c[v] * ch[v];
    c_out = c_out - c[v] * ch[v] + ch[v];
    pmin = pmin + c[v] * ch[v] * in.least_own;
    pmax = pmax + c[v] * ch[v] * in.most_own;
  }
  const Outflow out = outflow(q[0], d, lo, hi, c_in, c_out, pmin, pmax);
  std::fill_n(qout_min, 6, 0.);
  std::fill_n(qout_max, 6, 0.);
  qout_min[0] = out.least;
  qout_max[0] = out.most;
}

}  // namespace

extern "C" void igcm_c_dyn_horiz_adv_limiter_bounds(const RegionShape& s, const int* sgp, const double* q,
                                                    const double* q_pl, const double* d, const double* d_pl,
                                                    const double* ch, const double* ch_pl,
                                                    const double* cmask, const double* cmask_pl, double* qout,
                                                    double* qout_pl) {
  const Index all = s.points(), layers = static_cast<Index>(s.lall) * s.kall, field = layers * all;
#pragma omp parallel
  {
    Inflow x(s);
#pragma omp for schedule(static)
    for (Index layer = 0; layer < layers; ++layer) {
      const Index at = layer * all;
      inflow(s, sgp[layer / s.kall] != 0, q + at, {cmask + at, cmask + field + at, cmask + 2 * field + at},
             x);
      outflows(s, q + at, d + at, ch + at, field, x, qout + at, qout + field + at);
    }
  }
  if (s.have_pl == 0) return;
  const Index pole_layers = poles * s.kall;
  for (Index layer = 0; layer < pole_layers; ++layer) {
    const Index at = 6 * layer;
    pole_outflow(q_pl + at, d_pl[at], ch_pl + at, cmask_pl + at, qout_pl + at,
                 qout_pl + 6 * pole_layers + at);
  }
}

extern "C" void igcm_c_dyn_horiz_adv_limiter_apply(const RegionShape& s, const int* sgp, const double* q,
                                                   const double* q_pl, const double* cmask,
                                                   const double* cmask_pl, const double* qout,
                                                   const double* qout_pl, double* q_a, double* q_a_pl) {
  const Index all = s.points(), layers = static_cast<Index>(s.lall) * s.kall, field = layers * all;
  const Index across[3] = {1, s.n1 + 1, s.n1};
#pragma omp parallel
  {
    Inflow x(s);
#pragma omp for schedule(static)
    for (Index layer = 0; layer < layers; ++layer) {
      const Index at = layer * all;
      inflow(s, sgp[layer / s.kall] != 0, q + at, {cmask + at, cmask + field + at, cmask + 2 * field + at},
             x);
      for (Index m = 0; m < 3; ++m)
        limit(s, m, across[m], cmask + m * field + at, x, qout + at, qout + field + at, q_a + m * field + at,
              q_a + (m + 3) * field + at);
    }
  }
  if (s.have_pl == 0) return;
  const Index pole_layers = poles * s.kall;
  for (Index layer = 0; layer < pole_layers; ++layer) {
    const double *q_l = q_pl + 6 * layer, *c = cmask_pl + 6 * layer;
    const double *lo = qout_pl + 6 * layer, *hi = lo + 6 * pole_layers;
    for (Index v = 1; v < 6; ++v) {
      double& face = q_a_pl[6 * layer + v];
      face = limited(face, c[v], pole_inflow(q_l, c[v], v), lo[0], hi[0], lo[v], hi[v]);
    }
  }
}
