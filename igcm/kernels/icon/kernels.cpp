// The kernels of ICON's kind (igcm/kernels/README.md). The same order of operations as kernels.F90, where the
// contracts are.
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "blocked.hpp"

namespace {

using igcm::Blocked;
using Index = std::ptrdiff_t;

template <class Real>
void prefetch_column(Index levels, const Real* column) {
  for (Index k = 0; k < levels; k += 64 / sizeof(Real)) __builtin_prefetch(column + k);
}
template <class Real>
void prefetch_target(Index levels, const Real* column) {
  for (Index k = 0; k < levels; k += 64 / sizeof(Real)) __builtin_prefetch(column + k, 1);
}

// The computation at a slot: a function of the place in a field of H levels and of the offset of the level.
// With one slot in a block it reads columns and writes the column at `target`.
template <class Compute, std::size_t count, class Real>
struct Slot {
  Compute compute;
  std::array<const Real*, count> columns;
  Real* target;

  void prefetch(Index levels) const {
    for (const Real* column : columns) prefetch_column(levels, column);
    prefetch_target(levels, target);
  }
};
template <class Compute, std::size_t count, class Real>
Slot(Compute, std::array<const Real*, count>, Real*) -> Slot<Compute, count, Real>;

// How many columns before it is needed one is fetched: some 6 kB. A processor foresees the next lines of a
// column, but not the next column.
template <class Real>
Index ahead(Index levels) {
  return std::max<Index>(1, 6144 / (levels * static_cast<Index>(sizeof(Real))));
}

// Computes at(slot, place at one level, block) for all slots and levels. With one slot in a block the levels
// of a cell are neighbours in memory, and the inner loop is theirs.
template <class Real, class At>
void for_all(const Blocked& b, int blocks, const At& at) {
  const Index slots = b.slots, levels = b.levels, further = ahead<Real>(levels);
#pragma omp parallel for schedule(static)
  for (Index block = 0; block < blocks; ++block) {
    if (slots == 1) {
      if (block + further < blocks) at(Index{0}, block + further, block + further).prefetch(levels);
      const auto slot = at(Index{0}, block, block);
#pragma GCC ivdep
      for (Index k = 0; k < levels; ++k) slot.compute(block * levels + k, k);
      continue;
    }
    for (Index k = 0; k < levels; ++k)
      for (Index i = 0; i < slots; ++i)
        at(i, block * slots + i, block).compute((block * levels + k) * slots + i, k * slots);
  }
}

// Where row n (0..2) of a table of three rows stands.
Index row(const Blocked& b, Index block, Index n, Index i) { return (block * 3 + n) * b.slots + i; }

template <class Real>
void vertical_integration(const Blocked& b, const Real* t, const Real* thickness, Real* vi) {
  const Index slots = b.slots, levels = b.levels;
#pragma omp parallel for schedule(static)
  for (Index block = 0; block < b.cell_blocks; ++block)
    for (Index k = 0; k < levels; ++k)
      for (Index i = 0; i < slots; ++i)
        vi[block * slots + i] = vi[block * slots + i] + t[(block * levels + k) * slots + i] * thickness[k];
}

// Places in tables count from 1.
template <class Real>
void divergence(const Blocked& b, const int* edge, const Real* weight, const Real* grad, Real* dvg) {
  for_all<Real>(b, b.cell_blocks, [=, &b](Index i, Index flat, Index block) {
    const Index r0 = row(b, block, 0, i), r1 = row(b, block, 1, i), r2 = row(b, block, 2, i);
    const Real w0 = weight[r0], w1 = weight[r1], w2 = weight[r2];
    const std::array g{grad + edge[r0] - 1, grad + edge[r1] - 1, grad + edge[r2] - 1};
    const auto compute = [=](Index at, Index up) {
      dvg[at] = Real(0) + w0 * g[0][up] + w1 * g[1][up] + w2 * g[2][up];
    };
    return Slot{compute, g, dvg + flat * b.levels};
  });
}

template <class Real>
void gradient(const Blocked& b, const int* first, const int* second, const Real* weight, const Real* t,
              Real* grad) {
  for_all<Real>(b, b.edge_blocks, [=, &b](Index, Index flat, Index) {
    const std::array x{t + first[flat] - 1, t + second[flat] - 1};
    const Real w = weight[flat];
    const auto compute = [=](Index at, Index up) { grad[at] = (x[0][up] - x[1][up]) * w; };
    return Slot{compute, x, grad + flat * b.levels};
  });
}

// The published quotient is in double and rounded to float. That of floats has the same bits: a third of a
// float is at least a sixth of its last digit away from where rounding changes.
template <class Real>
void neighbour_mean(const Blocked& b, const int* neighbour, const Real* t, Real* mean) {
  for_all<Real>(b, b.cell_blocks, [=, &b](Index i, Index flat, Index block) {
    const std::array x{t + neighbour[row(b, block, 0, i)] - 1, t + neighbour[row(b, block, 1, i)] - 1,
                       t + neighbour[row(b, block, 2, i)] - 1};
    const auto compute = [=](Index at, Index up) { mean[at] = (x[0][up] + x[1][up] + x[2][up]) / 3; };
    return Slot{compute, x, mean + flat * b.levels};
  });
}

template <class Real>
void laplacian(const Blocked& b, const int* neighbour, const Real* weight, const Real* t, Real* lap) {
  for_all<Real>(b, b.cell_blocks, [=, &b](Index i, Index flat, Index block) {
    const Index r0 = row(b, block, 0, i), r1 = row(b, block, 1, i), r2 = row(b, block, 2, i);
    const Real w0 = weight[r0], w1 = weight[r1], w2 = weight[r2];
    const std::array x{t + neighbour[r0] - 1, t + neighbour[r1] - 1, t + neighbour[r2] - 1};
    const auto compute = [=](Index at, Index up) {
      lap[at] = w0 * (x[0][up] - t[at]) + w1 * (x[1][up] - t[at]) + w2 * (x[2][up] - t[at]);
    };
    return Slot{compute, x, lap + flat * b.levels};
  });
}

template <class Real>
void weighted(const Blocked& b, const int* first, const int* second, const int* cell_first,
              const int* cell_second, const Real* weight, const Real* parameter, const Real* t, Real* var) {
  for_all<Real>(b, b.edge_blocks, [=, &b](Index, Index flat, Index) {
    const Real p = parameter[cell_first[flat] - 1], q = parameter[cell_second[flat] - 1], w = weight[flat];
    const std::array x{t + first[flat] - 1, t + second[flat] - 1};
    const auto compute = [=](Index at, Index up) { var[at] = (p * x[0][up] - q * x[1][up]) * w; };
    return Slot{compute, x, var + flat * b.levels};
  });
}

template <class Real>
void mixed(const Blocked& b, const int* edge, const Real* p1, const Real* p2, const Real* p3, const Real* q,
           const Real* grad, Real* var) {
  const Index slots = b.slots, levels = b.levels, top = levels - 1, further = ahead<Real>(levels);
#pragma omp parallel
  {
    std::vector<Real> scratch(static_cast<std::size_t>(slots * levels));
    Real* v = scratch.data();
#pragma omp for schedule(static)
    for (Index block = 0; block < b.cell_blocks; ++block) {
      const Index flat = block * slots;
      if (slots == 1 && block + further < b.cell_blocks) {
        for (Index n = 0; n < 3; ++n) prefetch_column(levels, grad + edge[row(b, block + further, n, 0)] - 1);
        prefetch_target(levels, var + (block + further) * levels);
      }
      // A slot at all levels, so that with one slot the inner loop is that of levels.
      for (Index i = 0; i < slots; ++i) {
        const Real *g0 = grad + edge[row(b, block, 0, i)] - 1, *g1 = grad + edge[row(b, block, 1, i)] - 1,
                   *g2 = grad + edge[row(b, block, 2, i)] - 1;
        const Real a = p1[flat + i], c = p2[flat + i], d = p3[flat + i];
#pragma GCC ivdep
        for (Index k = 0; k < levels; ++k)
          v[k * slots + i] = a * g0[k * slots] + c * g1[k * slots] + d * g2[k * slots];
      }
      Real* x = var + flat * levels;
      const Real* r = q + flat * levels;
#pragma GCC ivdep
      for (Index at = slots; at < top * slots; ++at) x[at] = r[at] * v[at] + (1 - r[at]) * v[at - slots];
      for (Index at = top * slots; at < levels * slots; ++at)
        x[at] =
            static_cast<Real>(0.4 * static_cast<double>(v[at]) + 0.3 * static_cast<double>(v[at - slots]) +
                              0.3 * static_cast<double>(v[at - 2 * slots]));
    }
  }
}

template <class Real>
void add_scaled(const Blocked& b, double factor, const Real* x, Real* t) {
  const Index length = static_cast<Index>(b.slots) * b.levels * b.cell_blocks;
#pragma omp parallel for schedule(static)
  for (Index at = 0; at < length; ++at)
    t[at] = static_cast<Real>(static_cast<double>(t[at]) + factor * static_cast<double>(x[at]));
}

}  // namespace

extern "C" {
#define IGCM_ICON_EXPORT(REAL)                                                                         \
  void igcm_c_icon_vertical_integration_##REAL(const Blocked& b, const REAL* t, const REAL* thickness, \
                                               REAL* vi) {                                             \
    vertical_integration(b, t, thickness, vi);                                                         \
  }                                                                                                    \
  void igcm_c_icon_divergence_##REAL(const Blocked& b, const int* edge, const REAL* weight,            \
                                     const REAL* grad, REAL* dvg) {                                    \
    divergence(b, edge, weight, grad, dvg);                                                            \
  }                                                                                                    \
  void igcm_c_icon_gradient_##REAL(const Blocked& b, const int* first, const int* second,              \
                                   const REAL* weight, const REAL* t, REAL* grad) {                    \
    gradient(b, first, second, weight, t, grad);                                                       \
  }                                                                                                    \
  void igcm_c_icon_neighbour_mean_##REAL(const Blocked& b, const int* neighbour, const REAL* t,        \
                                         REAL* mean) {                                                 \
    neighbour_mean(b, neighbour, t, mean);                                                             \
  }                                                                                                    \
  void igcm_c_icon_laplacian_##REAL(const Blocked& b, const int* neighbour, const REAL* weight,        \
                                    const REAL* t, REAL* lap) {                                        \
    laplacian(b, neighbour, weight, t, lap);                                                           \
  }                                                                                                    \
  void igcm_c_icon_weighted_##REAL(const Blocked& b, const int* first, const int* second,              \
                                   const int* cell_first, const int* cell_second, const REAL* weight,  \
                                   const REAL* parameter, const REAL* t, REAL* var) {                  \
    weighted(b, first, second, cell_first, cell_second, weight, parameter, t, var);                    \
  }                                                                                                    \
  void igcm_c_icon_mixed_##REAL(const Blocked& b, const int* edge, const REAL* p1, const REAL* p2,     \
                                const REAL* p3, const REAL* q, const REAL* grad, REAL* var) {          \
    mixed(b, edge, p1, p2, p3, q, grad, var);                                                          \
  }                                                                                                    \
  void igcm_c_icon_add_scaled_##REAL(const Blocked& b, double factor, const REAL* x, REAL* t) {        \
    add_scaled(b, factor, x, t);                                                                       \
  }                                                                                                    \
  void igcm_prefetch_##REAL(int levels, int columns, const int* place, const REAL* field,              \
                            const REAL* target) {                                                      \
    for (int n = 0; n < columns; ++n) prefetch_column(levels, field + place[n] - 1);                   \
    prefetch_target(levels, target);                                                                   \
  }
IGCM_ICON_EXPORT(float)
IGCM_ICON_EXPORT(double)
#undef IGCM_ICON_EXPORT
}
