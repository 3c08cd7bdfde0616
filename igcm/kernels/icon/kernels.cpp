// The kernels of ICON's kind (igcm/kernels/README.md). The same order of operations as kernels.F90, where the
// contracts are.
#include <cstddef>
#include <vector>

#include "blocked.hpp"

namespace {

using igcm::Blocked;
using Index = std::ptrdiff_t;

// Calls body(slot, place in a field of H levels, place at one level, offset of the level, block) for all
// slots. With one slot in a block the levels of a cell are neighbours in memory, and the inner loop is
// theirs.
template <class Body>
void for_all(const Blocked& b, int blocks, const Body& body) {
  const Index slots = b.slots, levels = b.levels;
#pragma omp parallel for schedule(static)
  for (Index block = 0; block < blocks; ++block) {
    if (slots == 1) {
#pragma GCC ivdep
      for (Index k = 0; k < levels; ++k) body(0, block * levels + k, block, k, block);
      continue;
    }
    for (Index k = 0; k < levels; ++k)
      for (Index i = 0; i < slots; ++i)
        body(i, (block * levels + k) * slots + i, block * slots + i, k * slots, block);
  }
}

// Where row n (0..2) of a table of three rows stands.
Index row(const Blocked& b, Index block, Index n, Index i) { return (block * 3 + n) * b.slots + i; }

template <class Real>
void vertical_integration(const Blocked& b, const Real* t, const Real* thickness, Real* vi) {
  for_all(b, b.cell_blocks, [=, slots = b.slots](Index, Index at, Index flat, Index up, Index) {
    vi[flat] = vi[flat] + t[at] * thickness[up / slots];
  });
}

// Places in tables count from 1.
template <class Real>
void divergence(const Blocked& b, const int* edge, const Real* weight, const Real* grad, Real* dvg) {
  for_all(b, b.cell_blocks, [=, &b](Index i, Index at, Index, Index up, Index block) {
    const Index r0 = row(b, block, 0, i), r1 = row(b, block, 1, i), r2 = row(b, block, 2, i);
    dvg[at] = Real(0) + weight[r0] * grad[edge[r0] - 1 + up] + weight[r1] * grad[edge[r1] - 1 + up] +
              weight[r2] * grad[edge[r2] - 1 + up];
  });
}

template <class Real>
void gradient(const Blocked& b, const int* first, const int* second, const Real* weight, const Real* t,
              Real* grad) {
  for_all(b, b.edge_blocks, [=](Index, Index at, Index flat, Index up, Index) {
    grad[at] = (t[first[flat] - 1 + up] - t[second[flat] - 1 + up]) * weight[flat];
  });
}

template <class Real>
void neighbour_mean(const Blocked& b, const int* neighbour, const Real* t, Real* mean) {
  for_all(b, b.cell_blocks, [=, &b](Index i, Index at, Index, Index up, Index block) {
    const Real s = t[neighbour[row(b, block, 0, i)] - 1 + up] + t[neighbour[row(b, block, 1, i)] - 1 + up] +
                   t[neighbour[row(b, block, 2, i)] - 1 + up];
    mean[at] = static_cast<Real>(static_cast<double>(s) / 3);
  });
}

template <class Real>
void laplacian(const Blocked& b, const int* neighbour, const Real* weight, const Real* t, Real* lap) {
  for_all(b, b.cell_blocks, [=, &b](Index i, Index at, Index, Index up, Index block) {
    const Index r0 = row(b, block, 0, i), r1 = row(b, block, 1, i), r2 = row(b, block, 2, i);
    lap[at] = weight[r0] * (t[neighbour[r0] - 1 + up] - t[at]) +
              weight[r1] * (t[neighbour[r1] - 1 + up] - t[at]) +
              weight[r2] * (t[neighbour[r2] - 1 + up] - t[at]);
  });
}

template <class Real>
void weighted(const Blocked& b, const int* first, const int* second, const int* cell_first,
              const int* cell_second, const Real* weight, const Real* parameter, const Real* t, Real* var) {
  for_all(b, b.edge_blocks, [=](Index, Index at, Index flat, Index up, Index) {
    var[at] = (parameter[cell_first[flat] - 1] * t[first[flat] - 1 + up] -
               parameter[cell_second[flat] - 1] * t[second[flat] - 1 + up]) *
              weight[flat];
  });
}

template <class Real>
void mixed(const Blocked& b, const int* edge, const Real* p1, const Real* p2, const Real* p3, const Real* q,
           const Real* grad, Real* var) {
  const Index slots = b.slots, levels = b.levels, top = levels - 1;
#pragma omp parallel
  {
    std::vector<Real> v(static_cast<std::size_t>(slots * levels));
#pragma omp for schedule(static)
    for (Index block = 0; block < b.cell_blocks; ++block) {
      const Index flat = block * slots, base = flat * levels;
      for (Index k = 0; k < levels; ++k)
        for (Index i = 0; i < slots; ++i)
          v[static_cast<std::size_t>(k * slots + i)] =
              p1[flat + i] * grad[edge[row(b, block, 0, i)] - 1 + k * slots] +
              p2[flat + i] * grad[edge[row(b, block, 1, i)] - 1 + k * slots] +
              p3[flat + i] * grad[edge[row(b, block, 2, i)] - 1 + k * slots];
      for (Index at = slots; at < top * slots; ++at)
        var[base + at] = q[base + at] * v[static_cast<std::size_t>(at)] +
                         (1 - q[base + at]) * v[static_cast<std::size_t>(at - slots)];
      for (Index at = top * slots; at < levels * slots; ++at)
        var[base + at] =
            static_cast<Real>(0.4 * static_cast<double>(v[static_cast<std::size_t>(at)]) +
                              0.3 * static_cast<double>(v[static_cast<std::size_t>(at - slots)]) +
                              0.3 * static_cast<double>(v[static_cast<std::size_t>(at - 2 * slots)]));
    }
  }
}

template <class Real>
void add_scaled(const Blocked& b, double factor, const Real* x, Real* t) {
  for_all(b, b.cell_blocks, [=](Index, Index at, Index, Index, Index) {
    t[at] = static_cast<Real>(static_cast<double>(t[at]) + factor * static_cast<double>(x[at]));
  });
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
  }
IGCM_ICON_EXPORT(float)
IGCM_ICON_EXPORT(double)
#undef IGCM_ICON_EXPORT
}
