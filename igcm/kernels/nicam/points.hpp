// Loops and names for the C++ kernels on regions. Indices count from 0 here: g = j * n1 + i.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "regions.hpp"

namespace igcm::nicam {

using Index = std::ptrdiff_t;

constexpr double eps = 0x1p-52, big = std::numeric_limits<double>::max();
constexpr int poles = 2;
// The ring 1..5 of a pole (0) is cyclic.
constexpr Index next_pl[6] = {0, 2, 3, 4, 5, 1}, previous_pl[6] = {0, 5, 1, 2, 3, 4};

inline Index flat(const RegionShape& s, Index i, Index j) { return j * s.n1 + i; }
// gmin and gmax as indices of rows and columns.
inline Index first_own(const RegionShape& s) { return s.gmin - 1; }
inline Index last_own(const RegionShape& s) { return s.gmax - 1; }

// The linear range of own points, which includes halo columns between rows; and that of triangles.
inline Index begin_own(const RegionShape& s) { return flat(s, first_own(s), first_own(s)); }
inline Index begin_triangles(const RegionShape& s) { return flat(s, first_own(s) - 1, first_own(s) - 1); }
inline Index end_own(const RegionShape& s) { return flat(s, last_own(s), last_own(s)) + 1; }

// As gfortran's min, max and sign: of equal arguments (0 and -0) the last one is taken, and the sign bit
// counts.
inline double least(double a, double b) { return a < b ? a : b; }
inline double greatest(double a, double b) { return a > b ? a : b; }
template <class... More>
double least(double a, double b, double c, More... more) {
  return least(least(a, b), c, more...);
}
template <class... More>
double greatest(double a, double b, double c, More... more) {
  return greatest(greatest(a, b), c, more...);
}
inline double half_sign(double a) { return std::copysign(0.5, a); }
// 1 where a flux counts as zero (its absolute value is below eps), else 0.
inline double zero_flux(double sum_out) { return 0.5 - half_sign(std::abs(sum_out) - eps); }

}  // namespace igcm::nicam
