#include "regrid/healpix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.hpp"

namespace tailrace::regrid {
namespace {

// The sphere is 12 rhombi of n x n cells. All cells lie on rings of one latitude, numbered from 1 in the
// north to 4n - 1. For each rhombus: the ring behind that of its southern corner, in units of n, and the
// longitude of that corner in eighths of the circle (section 4 of the paper).
constexpr std::int64_t southern_ring[12] = {2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4};
constexpr std::int64_t eighth[12] = {1, 3, 5, 7, 0, 2, 4, 6, 1, 3, 5, 7};

// Every second bit of a number, together; and back.
std::int64_t even_bits(std::int64_t number) {
  std::uint64_t bits = static_cast<std::uint64_t>(number) & 0x5555555555555555u;
  bits = (bits | bits >> 1) & 0x3333333333333333u;
  bits = (bits | bits >> 2) & 0x0f0f0f0f0f0f0f0fu;
  bits = (bits | bits >> 4) & 0x00ff00ff00ff00ffu;
  bits = (bits | bits >> 8) & 0x0000ffff0000ffffu;
  bits = (bits | bits >> 16) & 0x00000000ffffffffu;
  return static_cast<std::int64_t>(bits);
}

std::int64_t spread_bits(std::int64_t number) {
  auto bits = static_cast<std::uint64_t>(number);
  bits = (bits | bits << 16) & 0x0000ffff0000ffffu;
  bits = (bits | bits << 8) & 0x00ff00ff00ff00ffu;
  bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0fu;
  bits = (bits | bits << 2) & 0x3333333333333333u;
  bits = (bits | bits << 1) & 0x5555555555555555u;
  return static_cast<std::int64_t>(bits);
}

struct Rings {
  std::int64_t n;  // cells along the edge of a rhombus

  std::int64_t cells() const { return 12 * n * n; }
  std::int64_t quarter(std::int64_t ring) const { return std::min({ring, n, 4 * n - ring}); }
  bool in_belt(std::int64_t ring) const { return ring >= n && ring <= 3 * n; }
  // Every second ring of the belt begins at longitude 0, the others half a cell to the east.
  std::int64_t shift(std::int64_t ring) const { return in_belt(ring) ? (ring - n) % 2 : 0; }
  std::int64_t first(std::int64_t ring) const {  // cell
    if (ring <= n) return 2 * ring * (ring - 1);
    if (ring <= 3 * n) return 2 * n * (n - 1) + (ring - n) * 4 * n;
    const std::int64_t behind = 4 * n - ring;
    return cells() - 2 * behind * (behind + 1);
  }
  std::int64_t of(std::int64_t cell) const {
    if (cell < first(n)) return in_cap(cell);
    if (cell < first(3 * n + 1)) return n + (cell - first(n)) / (4 * n);
    return 4 * n - in_cap(cells() - 1 - cell);
  }

 private:
  std::int64_t in_cap(std::int64_t cell) const {
    auto ring = static_cast<std::int64_t>((1.0 + std::sqrt(1.0 + 2.0 * static_cast<double>(cell))) / 2.0);
    while (first(ring) > cell) --ring;  // the root is rounded
    while (first(ring + 1) <= cell) ++ring;
    return ring;
  }
};

Rings rings_of(int level, std::int64_t cell) {
  TAILRACE_ASSERT(level >= 0 && level <= 29, "a level of HEALPix is from 0 to 29");
  const Rings rings{std::int64_t{1} << level};
  TAILRACE_ASSERT(cell >= 0 && cell < rings.cells(), "a cell of HEALPix");
  return rings;
}

// A cell by its ring and its place on it, from 0 to the east.
struct Place {
  std::int64_t ring, at;
};

Place place_of(const Rings& rings, int level, std::int64_t nested) {
  const std::int64_t rhombus = nested >> (2 * level);
  const std::int64_t inside = nested & (rings.n * rings.n - 1);
  const std::int64_t x = even_bits(inside), y = even_bits(inside >> 1);  // to the north-east and north-west
  const std::int64_t ring = southern_ring[rhombus] * rings.n - x - y - 1;
  const std::int64_t quarter = rings.quarter(ring);
  const std::int64_t twice = eighth[rhombus] * quarter + x - y - 1 + rings.shift(ring);  // always even
  return {ring, (twice + 8 * quarter) / 2 % (4 * quarter)};
}

// In the belt rhombi are bounded by lines to the north-east and north-west: which of these strips has the
// place. Lengths are in half cells.
std::int64_t rhombus_of(const Rings& rings, Place place) {
  const std::int64_t n = rings.n;
  if (!rings.in_belt(place.ring)) return place.at / rings.quarter(place.ring) + (place.ring < n ? 0 : 8);
  const std::int64_t east = 2 * place.at + 1 - rings.shift(place.ring), north = 2 * n - place.ring;
  const std::int64_t rising = (east + north + n) / (2 * n), falling = (east - north + n) / (2 * n);
  if (rising == falling) return 4 + rising % 4;
  return rising > falling ? falling % 4 : 8 + rising % 4;
}

std::int64_t nested_at(const Rings& rings, int level, Place place) {
  const std::int64_t rhombus = rhombus_of(rings, place), quarter = rings.quarter(place.ring);
  const std::int64_t sum = southern_ring[rhombus] * rings.n - 1 - place.ring;
  std::int64_t difference = 2 * place.at + 1 - eighth[rhombus] * quarter - rings.shift(place.ring);
  if (difference >= rings.n) difference -= 8 * quarter;  // rhombus 4 lies on both sides of longitude 0
  return (rhombus << (2 * level)) | spread_bits((sum + difference) / 2) |
         (spread_bits((sum - difference) / 2) << 1);
}

}  // namespace

std::int64_t nested_to_ring(int level, std::int64_t cell) {
  const Rings rings = rings_of(level, cell);
  const Place place = place_of(rings, level, cell);
  return rings.first(place.ring) + place.at;
}

std::int64_t ring_to_nested(int level, std::int64_t cell) {
  const Rings rings = rings_of(level, cell);
  const std::int64_t ring = rings.of(cell);
  return nested_at(rings, level, {ring, cell - rings.first(ring)});
}

std::pair<double, double> healpix_centre(int level, std::int64_t nested_cell) {
  const Rings rings = rings_of(level, nested_cell);
  const Place place = place_of(rings, level, nested_cell);
  const auto n = static_cast<double>(rings.n), ring = static_cast<double>(place.ring);
  constexpr double degrees = 180.0 / std::numbers::pi;
  const auto halves = static_cast<double>(2 * place.at + 1 - rings.shift(place.ring));
  if (rings.in_belt(place.ring))
    return {std::asin((4.0 - 2.0 * ring / n) / 3.0) * degrees, halves * 45.0 / n};
  // z = 1 - i^2 / (3 n^2); by the distance from the pole, whose cosine would lose digits.
  const auto quarter = static_cast<double>(rings.quarter(place.ring));
  const double from_pole = 2.0 * std::asin(quarter / (n * std::sqrt(6.0))) * degrees;
  return {place.ring < rings.n ? 90.0 - from_pole : from_pole - 90.0, halves * 45.0 / quarter};
}

}  // namespace tailrace::regrid
