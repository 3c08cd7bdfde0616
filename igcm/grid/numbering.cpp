#include "numbering.hpp"

#include <cstdlib>

#include "parallel.hpp"

namespace igcm::grid {
namespace {

struct Step {
  int x, y;
  friend Step operator+(Step a, Step b) { return {a.x + b.x, a.y + b.y}; }
  friend Step operator-(Step a, Step b) { return {a.x - b.x, a.y - b.y}; }
  friend Step operator-(Step a) { return {-a.x, -a.y}; }
  int length() const { return std::abs(x + y); }
  Step half() const { return {x / 2, y / 2}; }
  Step one() const { return {(x > 0) - (x < 0), (y > 0) - (y < 0)}; }
};

// Visits the rectangle with the sides a and b from the corner at `from` to the corner beside it at the end of
// a.
template <class Visit>
void walk(Step from, Step a, Step b, const Visit& visit) {
  const int w = a.length(), h = b.length();
  if (w == 1 || h == 1) {
    const Step by = h == 1 ? a.one() : b.one();
    for (int k = 0; k < std::max(w, h); ++k, from = from + by) visit(from);
    return;
  }
  Step a2 = a.half(), b2 = b.half();
  if (2 * w > 3 * h) {  // too long: two halves, the first of even length where possible
    if (a2.length() % 2 == 1 && w > 2) a2 = a2 + a.one();
    walk(from, a2, b, visit);
    walk(from + a2, a - a2, b, visit);
    return;
  }
  if (b2.length() % 2 == 1 && h > 2) b2 = b2 + b.one();
  walk(from, b2, a2, visit);
  walk(from + b2, a, b - b2, visit);
  walk(from + (a - a.one()) + (b2 - b.one()), -b2, -(a - a2), visit);
}

}  // namespace

Numbering::Numbering(int side, unsigned threads)
    : diamonds_(side), number_(static_cast<std::size_t>(diamonds_.points())), row_major_(number_.size()) {
  // A northern diamond is entered at its W corner from the SW and left at its S corner to the SE, a southern
  // one entered at its W corner from the NW and left at its N corner to the NE.
  static constexpr std::array<int, 10> zigzag{0, 9, 1, 8, 2, 7, 3, 6, 4, 5};
  const auto number_diamond = [&](int at) {
    const int diamond = zigzag[at];
    std::int64_t next = std::int64_t{at} * side * side;
    const Step i{side, 0}, j{0, side};
    walk({0, 0}, diamond < 5 ? i : j, diamond < 5 ? j : i, [&](Step p) {
      const std::int64_t where = diamonds_.row_major({diamond, p.x, p.y});
      number_[where] = static_cast<std::int32_t>(next);
      row_major_[next++] = static_cast<std::int32_t>(where);
    });
  };
  const std::int64_t costs = std::int64_t{side} * side;  // so that small grids are numbered by one thread
  parallel_for(0, 10 * costs, threads, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t at = (first + costs - 1) / costs; at < (last + costs - 1) / costs; ++at)
      number_diamond(static_cast<int>(at));
  });
  for (std::int64_t pole = rhombi(); pole < diamonds_.points(); ++pole)
    number_[pole] = row_major_[pole] = static_cast<std::int32_t>(pole);
}

}  // namespace igcm::grid
