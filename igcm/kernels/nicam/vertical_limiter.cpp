// Vertical flux limiter (igcm/kernels/README.md). The same order of operations as vertical_limiter.f90.
#include <algorithm>
#include <array>

#include "points.hpp"

namespace {

using namespace igcm;
using namespace igcm::nicam;

constexpr Index chunk = 512;

struct Arrays {  // of a region or a pole region: (level, point) with `length` points
  Index length;
  const double *q, *d, *ck1, *ck2;
  double* q_h;
};

template <bool pole>
void columns(const RegionShape& s, const Arrays& x, Index first, Index last) {
  std::array<double, chunk> least_below, most_below;
  for (Index k = s.kmin - 1; k < s.kmax; ++k)
    for (Index g = first; g < last; ++g) {
      const Index at = k * x.length + g, up = at + x.length, down = at - x.length;
      const auto slot = static_cast<std::size_t>(g - first);
      const double q = x.q[at], ck1 = x.ck1[at], ck2 = x.ck2[at];
      const double fl = 0.5 - half_sign(ck1), fu = 0.5 + half_sign(x.ck1[up]);
      const double ql = least(q, x.q[down]) + (1 - fl) * big, qu = least(q, x.q[up]) + (1 - fu) * big;
      const double xl = greatest(q, x.q[down]) + (1 - fl) * (-big),
                   xu = greatest(q, x.q[up]) + (1 - fu) * (-big);
      const double lo = least(ql, qu, q), hi = greatest(xl, xu, q);
      const double c_in = fl * ck1 + fu * ck2, c_out = (1 - fl) * ck1 + (1 - fu) * ck2;
      const double pmin = pole ? fl * (ck1 * ql) + fu * (ck2 * qu) : fl * ck1 * ql + fu * ck2 * qu;
      const double pmax = pole ? fl * (ck1 * xl) + fu * (ck2 * xu) : fl * ck1 * xl + fu * ck2 * xu;
      const double z = zero_flux(c_out);
      const double low = (q - hi + hi * (c_in + c_out - x.d[at]) - pmax) / (c_out + z) * (1 - z) + q * z;
      const double high = (q - lo + lo * (c_in + c_out - x.d[at]) - pmin) / (c_out + z) * (1 - z) + q * z;
      if (k > s.kmin - 1)
        x.q_h[at] = fl * greatest(least(x.q_h[at], most_below[slot]), least_below[slot]) +
                    (1 - fl) * greatest(least(x.q_h[at], high), low);
      least_below[slot] = low;
      most_below[slot] = high;
    }
}

}  // namespace

extern "C" void igcm_c_dyn_vert_adv_limiter(const RegionShape& s, const double* q, const double* q_pl,
                                            const double* d, const double* d_pl, const double* ck,
                                            const double* ck_pl, double* q_h, double* q_h_pl) {
  const Index all = s.points(), chunks = (all + chunk - 1) / chunk,
              field = static_cast<Index>(s.lall) * s.kall * all;
#pragma omp parallel for schedule(static)
  for (Index part = 0; part < s.lall * chunks; ++part) {
    const Index at = part / chunks * s.kall * all, first = part % chunks * chunk;
    columns<false>(s, {all, q + at, d + at, ck + at, ck + field + at, q_h + at}, first,
                   std::min(first + chunk, all));
  }
  if (s.have_pl == 0) return;
  for (Index l = 0; l < poles; ++l) {
    const Index at = l * s.kall * 6;
    columns<true>(s, {6, q_pl + at, d_pl + at, ck_pl + at, ck_pl + poles * s.kall * 6 + at, q_h_pl + at}, 0,
                  6);
  }
}
