#include "diamonds.hpp"

namespace igcm::grid {
namespace {

bool is_northern(int diamond) { return diamond < 5; }

}  // namespace

int neighbour_of(int diamond, Side side) {
  static constexpr int table[10][4] = {{5, 4, 1, 9}, {9, 0, 2, 8}, {8, 1, 3, 7}, {7, 2, 4, 6}, {6, 3, 0, 5},
                                       {6, 4, 0, 9}, {7, 3, 4, 5}, {8, 2, 3, 6}, {9, 1, 2, 7}, {5, 0, 1, 8}};
  return table[diamond][side];
}

Place Diamonds::place_at(std::int64_t row_major) const {
  const std::int64_t n = side_;
  if (row_major >= 10 * n * n) return {static_cast<int>(10 + row_major - 10 * n * n), 0, 0};
  return {static_cast<int>(row_major / (n * n)), static_cast<int>(row_major % n),
          static_cast<int>(row_major / n % n)};
}

// Each rule carries a point beyond one edge into the frame of the diamond there; at the poles the frames are
// turned.
Place Diamonds::resolve(int d, int i, int j) const {
  const int n = side_;
  const bool northern = is_northern(d);
  if (northern && i == 0 && j == n) return north_pole;
  if (!northern && i == n && j == 0) return south_pole;
  if (i < 0) {
    const int beside = neighbour_of(d, NW);
    return northern ? resolve(beside, n - j + i, n + i) : resolve(beside, n + i, j);
  }
  if (j < 0) {
    const int beside = neighbour_of(d, SW);
    return northern ? resolve(beside, i, n + j) : resolve(beside, n + j, n - i + j);
  }
  if (i >= n && !northern) return resolve(neighbour_of(d, SE), n - j + (i - n), i - n);
  if (j >= n && northern) return resolve(neighbour_of(d, NE), j - n, n - i + (j - n));
  if (i >= n) return resolve(neighbour_of(d, SE), i - n, j);
  if (j >= n) return resolve(neighbour_of(d, NE), i, j - n);
  return {d, i, j};
}

std::array<Place, 3> Diamonds::corners_of(Owned triangle) const {
  const Place p = triangle.owner;
  if (triangle.which == TI) return {p, step(p, {1, 0}), step(p, {1, 1})};
  return {p, step(p, {1, 1}), step(p, {0, 1})};
}

std::array<Owned, 3> Diamonds::edges_of(Owned triangle) const {
  const Place p = triangle.owner;
  const auto [a, b, c] = corners_of(triangle);
  if (triangle.which == TI) return {Owned{p, AI}, *find_arc(b, c), Owned{p, AIJ}};
  return {Owned{p, AIJ}, *find_arc(b, c), Owned{p, AJ}};
}

std::array<Owned, 2> Diamonds::sides_of(Owned arc) const {
  const Place p = arc.owner;
  if (arc.which == AI) return {Owned{p, TI}, right_of_ai(p)};
  if (arc.which == AIJ) return {Owned{p, TJ}, Owned{p, TI}};
  return {left_of_aj(p), Owned{p, TJ}};
}

Owned Diamonds::left_of_aj(Place p) const {
  const int n = side_;
  if (p.i > 0) return {{p.diamond, p.i - 1, p.j}, TI};
  const int beside = neighbour_of(p.diamond, NW);
  if (is_northern(p.diamond)) return {{beside, n - 1 - p.j, n - 1}, TJ};
  return {{beside, n - 1, p.j}, TI};
}

Owned Diamonds::right_of_ai(Place p) const {
  const int n = side_;
  if (p.j > 0) return {{p.diamond, p.i, p.j - 1}, TJ};
  const int beside = neighbour_of(p.diamond, SW);
  if (is_northern(p.diamond)) return {{beside, p.i, n - 1}, TJ};
  return {{beside, n - 1, n - 1 - p.i}, TI};
}

std::optional<Owned> Diamonds::find_arc(Place a, Place b) const {
  for (const Place& owner : {a, b}) {
    const Place& other = owner == a ? b : a;
    for (int which = 0; which < 3 && !owner.is_pole(); ++which)
      if (step(owner, arc_steps[which]) == other) return Owned{owner, which};
  }
  return {};
}

std::optional<Owned> Diamonds::find_triangle(Place a, Place b, Place c) const {
  const Surroundings s = around(a);
  for (int k = 0; k < s.degree; ++k) {
    const Place before = s.vertices[(k + s.degree - 1) % s.degree], after = s.vertices[k];
    if ((before == b && after == c) || (before == c && after == b)) return s.cells[k];
  }
  return {};
}

Surroundings Diamonds::around(Place p) const {
  if (p.is_pole()) return around_pole(p);
  static constexpr std::array<std::array<int, 2>, 6> steps{
      {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}}};
  const int n = side_, d = p.diamond, i = p.i, j = p.j;
  Surroundings s;
  s.degree = i == 0 && j == 0 ? 5 : 6;
  for (int k = 0; k < s.degree; ++k) {
    s.vertices[k] = step(p, steps[k]);
    s.edges[k] = k < 3 ? Owned{p, k} : *find_arc(s.vertices[k], p);
  }
  s.cells[0] = right_of_ai(p);
  s.cells[1] = {p, TI};
  s.cells[2] = {p, TJ};
  s.cells[3] = left_of_aj(p);
  const Place west = i > 0 ? Place{d, i - 1, j} : Place{};
  if (i > 0) {
    s.cells[4] = right_of_ai(west);
    s.cells[5] = j > 0            ? Owned{{d, i - 1, j - 1}, TI}
                 : is_northern(d) ? Owned{{neighbour_of(d, SW), i - 1, n - 1}, TI}
                                  : Owned{{neighbour_of(d, SW), n - 1, n - 1 - i}, TJ};
    return s;
  }
  const int beside = neighbour_of(d, NW);
  if (j > 0) {
    s.cells[4] = is_northern(d) ? Owned{{beside, n - 1 - j, n - 1}, TI} : Owned{{beside, n - 1, j - 1}, TJ};
    s.cells[5] = left_of_aj({d, 0, j - 1});
  } else {
    s.cells[4] =
        is_northern(d) ? Owned{{beside, n - 1, n - 1}, TI} : Owned{{neighbour_of(d, SW), n - 1, n - 1}, TJ};
  }
  return s;
}

Surroundings Diamonds::around_pole(Place p) const {
  const int n = side_;
  const bool north = p == north_pole;
  Surroundings s;
  s.degree = 5;
  for (int k = 0; k < 5; ++k) {
    // Counter-clockwise seen from outside is eastward at the north pole, in which the diamonds 0..4 follow
    // each other, and westward at the south pole, as the diamonds 5..9 do.
    s.vertices[k] = north ? Place{k, 0, n - 1} : Place{5 + k, n - 1, 0};
    s.edges[k] = {s.vertices[k], north ? AJ : AI};
    s.cells[k] = north ? Owned{{(k + 4) % 5, 0, n - 1}, TJ} : Owned{s.vertices[k], TI};
  }
  return s;
}

}  // namespace igcm::grid
