// Implicit vertical momentum (igcm/kernels/README.md). The same order of operations as vi_rhow_solver.f90.
#include <algorithm>
#include <array>
#include <vector>

#include "points.hpp"

namespace {

using namespace igcm;
using namespace igcm::nicam;

constexpr double gravity = 9.80616, rdry = 287, cvdry = 717.5;
constexpr Index chunk = 64;  // the right side and the factors of a chunk stay in the cache

struct Arrays {  // of a region or a pole region: (level, point) with `length` points
  Index length;
  const double *rhogw0, *preg0, *rhog0, *srho, *sw, *spre, *mc, *ml, *mu;
  const double *rgsgam2, *rgsgam2h, *rgamh, *rgam, *gsgam2h;
  double* w;
};

struct Step {
  double dt, alpha;
  const double *rdgzh, *afact, *bfact;
};

// Scratch of a thread: (level, place in the chunk).
struct Scratch {
  explicit Scratch(const RegionShape& s)
      : rhs(static_cast<std::size_t>(chunk * s.kall)), gamma(static_cast<std::size_t>(chunk * s.kall)) {}
  std::vector<double> rhs, gamma;
};

void right_side(const RegionShape& s, const Step& p, const Arrays& x, Index first, Index count, double* rhs) {
  const double dt = p.dt, factor = cvdry / rdry / (dt * dt);
  std::array<double, chunk> pre_below{}, rho_below{};
  for (Index k = s.kmin - 1; k < s.kmax; ++k)
    for (Index i = 0; i < count; ++i) {
      const Index at = k * x.length + first + i;
      const auto slot = static_cast<std::size_t>(i);
      const double pre = (x.preg0[at] + dt * x.spre[at]) * x.rgsgam2[at];
      const double rho = (x.rhog0[at] + dt * x.srho[at]) * (x.rgam[at] * x.rgam[at]);
      if (k > s.kmin - 1)
        rhs[k * chunk + i] = ((x.rhogw0[at] * p.alpha + dt * x.sw[at]) * (x.rgamh[at] * x.rgamh[at]) -
                              (pre - pre_below[slot]) * dt * p.rdgzh[k] -
                              (rho * p.afact[k] + rho_below[slot] * p.bfact[k]) * dt * gravity) *
                             factor;
      pre_below[slot] = pre;
      rho_below[slot] = rho;
    }
}

// Thomas' algorithm; w is scaled with gsgam2h on the way down, when it is no longer needed unscaled.
void solve(const RegionShape& s, const Arrays& x, Index first, Index count, double* rhs, double* gamma) {
  const Index bottom = s.kmin - 1, top = s.kmax;
  std::array<double, chunk> beta;
  const auto at = [&](Index k, Index i) { return k * x.length + first + i; };
  for (Index i = 0; i < count; ++i) {
    x.w[at(bottom, i)] = x.w[at(bottom, i)] * x.rgsgam2h[at(bottom, i)];
    x.w[at(top, i)] = x.w[at(top, i)] * x.rgsgam2h[at(top, i)];
    double &low = rhs[(bottom + 1) * chunk + i], &high = rhs[(top - 1) * chunk + i];
    low = low - x.ml[at(bottom + 1, i)] * x.w[at(bottom, i)];
    high = high - x.mu[at(top - 1, i)] * x.w[at(top, i)];
    beta[static_cast<std::size_t>(i)] = x.mc[at(bottom + 1, i)];
    x.w[at(bottom + 1, i)] = low / beta[static_cast<std::size_t>(i)];
  }
  for (Index k = bottom + 2; k < top; ++k)
    for (Index i = 0; i < count; ++i) {
      double& b = beta[static_cast<std::size_t>(i)];
      const double factor = x.mu[at(k - 1, i)] / b;
      b = x.mc[at(k, i)] - x.ml[at(k, i)] * factor;
      x.w[at(k, i)] = (rhs[k * chunk + i] - x.ml[at(k, i)] * x.w[at(k - 1, i)]) / b;
      gamma[k * chunk + i] = factor;
    }
  for (Index k = top - 2; k > bottom; --k)
    for (Index i = 0; i < count; ++i) {
      x.w[at(k, i)] = x.w[at(k, i)] - gamma[(k + 1) * chunk + i] * x.w[at(k + 1, i)];
      x.w[at(k + 1, i)] = x.w[at(k + 1, i)] * x.gsgam2h[at(k + 1, i)];
    }
  for (Index k : {bottom, bottom + 1, top})
    for (Index i = 0; i < count; ++i) x.w[at(k, i)] = x.w[at(k, i)] * x.gsgam2h[at(k, i)];
}

}  // namespace

extern "C" void igcm_c_dyn_vi_rhow_solver(
    const RegionShape& s, double dt, double alpha, const double* rdgzh, const double* afact,
    const double* bfact, const double* rhogw0, const double* rhogw0_pl, const double* preg0,
    const double* preg0_pl, const double* rhog0, const double* rhog0_pl, const double* srho,
    const double* srho_pl, const double* sw, const double* sw_pl, const double* spre, const double* spre_pl,
    const double* mc, const double* mc_pl, const double* ml, const double* ml_pl, const double* mu,
    const double* mu_pl, const double* rgsgam2, const double* rgsgam2_pl, const double* rgsgam2h,
    const double* rgsgam2h_pl, const double* rgamh, const double* rgamh_pl, const double* rgam,
    const double* rgam_pl, const double* gsgam2h, const double* gsgam2h_pl, double* rhogw, double* rhogw_pl) {
  const Index all = s.points(), chunks = (all + chunk - 1) / chunk;
  const Step step{dt, alpha, rdgzh, afact, bfact};
#pragma omp parallel
  {
    Scratch scratch(s);
#pragma omp for schedule(static)
    for (Index part = 0; part < s.lall * chunks; ++part) {
      const Index o = part / chunks * s.kall * all, first = part % chunks * chunk;
      const Arrays x{all,       rhogw0 + o, preg0 + o,   rhog0 + o, srho + o,    sw + o,
                     spre + o,  mc + o,     ml + o,      mu + o,    rgsgam2 + o, rgsgam2h + o,
                     rgamh + o, rgam + o,   gsgam2h + o, rhogw + o};
      right_side(s, step, x, first, std::min(chunk, all - first), scratch.rhs.data());
      solve(s, x, first, std::min(chunk, all - first), scratch.rhs.data(), scratch.gamma.data());
    }
  }
  if (s.have_pl == 0) return;
  Scratch scratch(s);
  for (Index l = 0; l < poles; ++l) {
    const Index o = l * s.kall * 6;
    const Arrays x{6,
                   rhogw0_pl + o,
                   preg0_pl + o,
                   rhog0_pl + o,
                   srho_pl + o,
                   sw_pl + o,
                   spre_pl + o,
                   mc_pl + o,
                   ml_pl + o,
                   mu_pl + o,
                   rgsgam2_pl + o,
                   rgsgam2h_pl + o,
                   rgamh_pl + o,
                   rgam_pl + o,
                   gsgam2h_pl + o,
                   rhogw_pl + o};
    right_side(s, step, x, 0, 6, scratch.rhs.data());
    solve(s, x, 0, 6, scratch.rhs.data(), scratch.gamma.data());
  }
}
