#include "layouts.hpp"

#include <stdexcept>

namespace igcm::grid {
namespace {

std::int32_t number_of(const Numbering& numbering, const std::optional<Owned>& triangle) {
  return triangle ? numbering.cell(*triangle) : -1;
}

// Number and sign of the edge from a to b.
void set_edge(const Numbering& numbering, Place a, Place b, std::int32_t& number, std::int8_t& sign) {
  const std::optional<Owned> arc = numbering.diamonds().find_arc(a, b);
  number = arc ? numbering.edge(*arc) : -1;
  sign = static_cast<std::int8_t>(!arc ? 0 : arc->owner == a ? 1 : -1);
}

}  // namespace

NicamRegion nicam_region(const Numbering& numbering, int region_level, int region) {
  const Diamonds& diamonds = numbering.diamonds();
  const int parts = 1 << region_level, own = diamonds.side() / parts;
  if (own * parts != diamonds.side() || region < 0 || region >= 10 * parts * parts)
    throw std::invalid_argument(
        "nicam_region: expected a side that 2^region_level divides, and an existing region");
  const int diamond = region / (parts * parts);
  const int row = region / parts % parts * own, column = region % parts * own;
  NicamRegion map;
  const int n1 = map.n1 = own + 2;
  map.singular = row == 0 && column == 0;
  const auto at = [&](int i, int j) { return diamonds.resolve(diamond, column + i - 1, row + j - 1); };
  const auto size = static_cast<std::size_t>(n1) * n1;
  map.vertex.resize(size);
  for (auto* ids : {&map.triangle_i, &map.triangle_j, &map.arc_i, &map.arc_ij, &map.arc_j})
    ids->assign(size, -1);
  for (auto* signs : {&map.sign_i, &map.sign_ij, &map.sign_j}) signs->assign(size, 0);
  for (int j = 0; j < n1; ++j)
    for (int i = 0; i < n1; ++i) {
      const int g = j * n1 + i;
      const Place p = at(i, j);
      map.vertex[g] = numbering.vertex(p);
      if (i < n1 - 1) set_edge(numbering, p, at(i + 1, j), map.arc_i[g], map.sign_i[g]);
      if (j < n1 - 1) set_edge(numbering, p, at(i, j + 1), map.arc_j[g], map.sign_j[g]);
      if (i == n1 - 1 || j == n1 - 1) continue;
      set_edge(numbering, p, at(i + 1, j + 1), map.arc_ij[g], map.sign_ij[g]);
      map.triangle_i[g] = number_of(numbering, diamonds.find_triangle(p, at(i + 1, j), at(i + 1, j + 1)));
      map.triangle_j[g] = number_of(numbering, diamonds.find_triangle(p, at(i + 1, j + 1), at(i, j + 1)));
    }
  return map;
}

std::array<std::int32_t, 6> nicam_pole(const Numbering& numbering, bool north) {
  const Place pole = north ? Diamonds::north_pole : Diamonds::south_pole;
  const Surroundings around = numbering.diamonds().around(pole);
  std::array<std::int32_t, 6> points{numbering.vertex(pole)};
  for (int k = 0; k < 5; ++k) points[k + 1] = numbering.vertex(around.vertices[4 - k]);
  return points;
}

DynamicoPatch dynamico_patch(const Numbering& numbering, const RhombusPart& part) {
  const Diamonds& diamonds = numbering.diamonds();
  const int side = diamonds.side();
  const auto within = [&](int first, int last) { return 0 <= first && first < last && last <= side; };
  if (!within(part.first_i, part.last_i) || !within(part.first_j, part.last_j) || part.diamond < 0 ||
      part.diamond > 9)
    throw std::invalid_argument("dynamico_patch: expected rows and columns within the side of the grid");
  DynamicoPatch map;
  map.iim = part.last_i - part.first_i + 2;
  map.jjm = part.last_j - part.first_j + 4;
  // `right` is the step (0, 1) of the diamond, `rup` the step (-1, 0).
  const auto at = [&](int i, int j) {
    return diamonds.resolve(part.diamond, side - 1 - (part.first_j + j - 2), part.first_i + i - 1);
  };
  const auto cells = static_cast<std::size_t>(map.iim) * map.jjm;
  map.cell.resize(cells);
  map.edge.resize(3 * cells);
  map.sign.resize(3 * cells);
  map.vertex.resize(2 * cells);
  for (int j = 0; j < map.jjm; ++j)
    for (int i = 0; i < map.iim; ++i) {
      const std::size_t ij = static_cast<std::size_t>(j) * map.iim + i;
      const Place p = at(i, j), up_right = at(i, j + 1), up_left = at(i - 1, j + 1), down_left = at(i, j - 1);
      map.cell[ij] = numbering.vertex(p);
      set_edge(numbering, p, at(i + 1, j), map.edge[ij], map.sign[ij]);
      set_edge(numbering, p, up_left, map.edge[cells + ij], map.sign[cells + ij]);
      set_edge(numbering, p, down_left, map.edge[2 * cells + ij], map.sign[2 * cells + ij]);
      map.vertex[ij] = number_of(numbering, diamonds.find_triangle(p, up_right, up_left));
      map.vertex[cells + ij] = number_of(numbering, diamonds.find_triangle(p, down_left, at(i + 1, j - 1)));
    }
  return map;
}

}  // namespace igcm::grid
