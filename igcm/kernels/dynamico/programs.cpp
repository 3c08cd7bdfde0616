#include "programs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "../common/noise.hpp"

namespace igcm::dynamico {
namespace {

constexpr std::size_t common_indices = 27;

struct Point {
  double x, y;
};

// The lattice, by integers that may lie outside the rhombus. Both axes are smooth functions, so that cells
// are uneven.
Point centre(int i, int j) {
  const double width = 115e3;
  const double x = i + 0.5 * j, y = 0.5 * std::numbers::sqrt3 * j;
  return {width * (x + 0.15 * std::sin(0.4 * x + 0.3 * y)),
          width * (y + 0.12 * std::cos(0.35 * x - 0.25 * y))};
}

double distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }
double triangle(Point a, Point b, Point c) {
  return 0.5 * ((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y));
}
Point middle(Point a, Point b) { return {0.5 * (a.x + b.x), 0.5 * (a.y + b.y)}; }
Point centroid(Point a, Point b, Point c) { return {(a.x + b.x + c.x) / 3, (a.y + b.y + c.y) / 3}; }
// A point that divides the dual triangle unevenly: shares of the three cells then differ.
Point vertex(Point a, Point b, Point c) {
  const Point m = centroid(a, b, c);
  const double turn = 0.06 * std::sin(1e-5 * m.x);
  return {m.x + turn * (b.x - a.x), m.y + turn * (c.y - a.y)};
}

constexpr std::array<std::array<int, 2>, 6> steps{{{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}}};
constexpr std::array<double, 6> ne{1, -1, 1, -1, 1, -1};

// A cell with its neighbours, counter-clockwise from "right", and the vertices between neighbours d and d
// + 1.
struct Cell {
  Point centre;
  std::array<Point, 6> neighbours, vertices;
  std::array<double, 6> kites;
  double area = 0;

  Cell(int i, int j) : centre(dynamico::centre(i, j)) {
    for (std::size_t d = 0; d < 6; ++d) neighbours[d] = dynamico::centre(i + steps[d][0], j + steps[d][1]);
    for (std::size_t d = 0; d < 6; ++d) {
      // The three corners in an order that all three cells agree on: the pair of sorted x, y.
      std::array<Point, 3> corners{centre, neighbours[d], neighbours[(d + 1) % 6]};
      std::ranges::sort(corners, [](Point a, Point b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
      vertices[d] = vertex(corners[0], corners[1], corners[2]);
      kites[d] = triangle(centre, middle(centre, neighbours[d]), vertices[d]) +
                 triangle(centre, vertices[d], middle(centre, neighbours[(d + 1) % 6]));
      area += kites[d];
    }
  }
  [[nodiscard]] double dual(std::size_t d) const {
    return triangle(centre, neighbours[d], neighbours[(d + 1) % 6]);
  }
};

// TRiSK's weights (Thuburn et al. 2009) of the five edges after edge d, as its cell with sign s sees it.
std::array<double, 5> weights(const Cell& cell, std::size_t d, double s) {
  std::array<double, 5> result{};
  double passed = 0;
  for (std::size_t m = 0; m < 5; ++m) {
    passed += cell.kites[(d + m) % 6] / cell.area;
    result[m] = s * ne[(d + m + 1) % 6] * (0.5 - passed);
  }
  return result;
}

void fill_metrics(Dataset& data, int iim, int jjm) {
  const auto n = static_cast<std::size_t>(iim * jjm);
  double *le = data.add("le", {3 * n}).values.data(), *de = data.add("de", {3 * n}).values.data();
  double *ai = data.add("Ai", {n}).values.data(), *av = data.add("Av", {2 * n}).values.data();
  double *fv = data.add("fv", {2 * n}).values.data(), *riv2 = data.add("Riv2", {6, n}).values.data();
  double* wee = data.add("Wee", {2, 5, 3 * n}).values.data();
  for (std::size_t at = 0; at < n; ++at) {
    const int i = static_cast<int>(at) % iim, j = static_cast<int>(at) / iim;
    const Cell cell(i, j);
    ai[at] = cell.area;
    for (std::size_t d = 0; d < 6; ++d) riv2[d * n + at] = cell.kites[d] / cell.dual(d);
    for (std::size_t v : {std::size_t{1}, std::size_t{4}}) {
      av[(v == 1 ? 0 : n) + at] = cell.dual(v);
      fv[(v == 1 ? 0 : n) + at] = 1.4584e-4 * std::sin(cell.vertices[v].y / 6.37122e6);
    }
    for (std::size_t owned : {std::size_t{0}, std::size_t{2}, std::size_t{4}}) {
      const std::size_t edge = owned / 2 * n + at;
      de[edge] = distance(cell.centre, cell.neighbours[owned]);
      le[edge] = distance(cell.vertices[owned], cell.vertices[(owned + 5) % 6]);
      const Cell other(i + steps[owned][0], j + steps[owned][1]);
      const auto own = weights(cell, owned, 1), across = weights(other, (owned + 3) % 6, -1);
      for (std::size_t m = 0; m < 5; ++m) {
        wee[m * 3 * n + edge] = own[m];
        wee[(5 + m) * 3 * n + edge] = across[m];
      }
    }
  }
  const std::size_t missing = n + static_cast<std::size_t>(3 * iim + 2);
  le[missing] = de[missing] = 0;
}

}  // namespace

Rhombus rhombus_of(const Dataset& data, std::size_t extra) {
  const std::vector<int> index = data.integers("indices");
  if (index.size() != common_indices + extra)
    throw std::runtime_error(data.path() + ": the attribute \"indices\" has " + std::to_string(index.size()) +
                             " numbers; expected " + std::to_string(common_indices + extra));
  Rhombus r{};
  int* const members[common_indices] = {
      &r.iim,      &r.jjm,     &r.llm,     &r.ij_begin, &r.ij_end, &r.ij_begin_ext, &r.ij_end_ext,
      &r.ll_begin, &r.ll_end,  &r.t_right, &r.t_rup,    &r.t_lup,  &r.t_left,       &r.t_ldown,
      &r.t_rdown,  &r.u_right, &r.u_rup,   &r.u_lup,    &r.u_left, &r.u_ldown,      &r.u_rdown,
      &r.z_rup,    &r.z_up,    &r.z_lup,   &r.z_ldown,  &r.z_down, &r.z_rdown};
  for (std::size_t i = 0; i < common_indices; ++i) *members[i] = index[i];
  if (r.iim < 1 || r.jjm < 1 || r.iim > std::numeric_limits<int>::max() / 3 / r.jjm)
    throw std::runtime_error(data.path() + ": iim and jjm in \"indices\" are " + std::to_string(r.iim) +
                             " and " + std::to_string(r.jjm) +
                             "; expected at least 1, and less than 2^31 edges");
  const int n = r.cells(), w = r.iim;
  const std::vector<int> offsets{1,  w,     w - 1,     -1,    -w, 1 - w,     0,  2 * n + w, n,
                                 -1, 2 * n, n + 1 - w, n + w, 0,  n + w - 1, -w, n,         1 - w};
  if (!std::equal(offsets.begin(), offsets.end(), index.begin() + 9))
    throw std::runtime_error(data.path() + ": the offsets in \"indices\" do not fit iim and jjm");
  if (r.llm < 1 || r.ll_begin < 1 || r.ll_end > r.llm || r.ij_begin_ext < w + 1 || r.ij_end_ext > n - w ||
      r.ij_begin < 2 * w + 2 || r.ij_end > n - 2 * w - 1)
    throw std::runtime_error(data.path() + ": a range in \"indices\" leaves the arrays");
  return r;
}

int extra_index(const Dataset& data, std::size_t number) {
  return data.integers("indices").at(common_indices + number);
}

void check_indices(const Dataset& data, const std::vector<Switch>& switches) {
  rhombus_of(data, switches.size());
  for (std::size_t at = 0; at < switches.size(); ++at) {
    const Switch& one = switches[at];
    const int value = extra_index(data, at);
    if (value < one.least || value > one.most)
      throw std::runtime_error(data.path() + ": " + one.name + " in \"indices\" is " + std::to_string(value) +
                               "; expected " + std::to_string(one.least) + " to " + std::to_string(one.most));
  }
}

Dataset made_rhombus(const Options& options, const std::vector<int>& extra) {
  const int w = options.sizes.at("iim"), h = options.sizes.at("jjm"), llm = options.sizes.at("llm"),
            n = w * h;
  if (w < 5 || h < 6 || llm < 2)
    throw std::runtime_error("--iim, --jjm, --llm: expected at least 5, 6 and 2");
  Dataset data;
  std::vector<double> indices{1. * w,     1. * h,       1. * llm, 2. * w + 2, (h - 2.) * w - 1,
                              w + 1.,     (h - 1.) * w, 1.,       1. * llm,   1.,
                              1. * w,     w - 1.,       -1.,      -1. * w,    1. - w,
                              0.,         2. * n + w,   1. * n,   -1.,        2. * n,
                              n + 1. - w, 1. * n + w,   0.,       n + w - 1., -1. * w,
                              1. * n,     1. - w};
  indices.insert(indices.end(), extra.begin(), extra.end());
  data.set("indices", indices);
  fill_metrics(data, w, h);
  return data;
}

void add_noise(Dataset& data, const std::string& name, At place, std::size_t levels, double average,
               double amplitude) {
  const std::vector<int> index = data.integers("indices");
  const std::size_t cells = static_cast<std::size_t>(index[0] * index[1]);
  const std::size_t sections = place == At::cells ? 1 : place == At::edges ? 3 : 2;
  Field& field =
      levels == 0 ? data.add(name, {sections * cells}) : data.add(name, {levels, sections * cells});
  std::size_t at = 0, seed = 0;
  for (char letter : name) seed = 31 * seed + static_cast<unsigned char>(letter);
  for (std::size_t l = 0; l < std::max<std::size_t>(levels, 1); ++l)
    for (std::size_t section = 0; section < sections; ++section) {
      const SmoothNoise noise(seed + section);
      for (std::size_t c = 0; c < cells; ++c) {
        const Point p = centre(static_cast<int>(c) % index[0], static_cast<int>(c) / index[0]);
        field.values[at++] =
            average + amplitude * noise(4e-7 * p.x, 4e-7 * p.y, 0.13 * static_cast<double>(l));
      }
    }
}

void add_hybrid(Dataset& data, const std::string& a, const std::string& b, std::size_t levels) {
  std::vector<double>& hybrid_a = data.add(a, {levels}).values;
  std::vector<double>& hybrid_b = data.add(b, {levels}).values;
  for (std::size_t l = 0; l < levels; ++l) {
    const double sigma = 1 - (static_cast<double>(l) + 0.5) / static_cast<double>(levels);
    hybrid_b[l] = sigma * sigma;
    hybrid_a[l] = 1e5 * (sigma - sigma * sigma);
  }
}

std::string head(const Dataset& data, const std::vector<std::string>& extra_labels) {
  const std::vector<int> index = data.integers("indices");
  std::vector<std::pair<std::string, std::size_t>> groups{
      {"iim, jjm, llm", 3},           {"ij_begin, ij_end", 2},         {"ij_begin_ext, ij_end_ext", 2},
      {"ll_begin, ll_end", 2},        {"t_right, t_rup, t_lup", 3},    {"t_left, t_ldown, t_rdown", 3},
      {"u_right, u_rup, u_lup", 3},   {"u_left, u_ldown, u_rdown", 3}, {"z_rup, z_up, z_lup", 3},
      {"z_ldown, z_down, z_rdown", 3}};
  for (const std::string& label : extra_labels) groups.emplace_back(label, 1);
  std::string text;
  std::size_t at = 0;
  char part[64];
  for (const auto& [label, count] : groups) {
    std::snprintf(part, sizeof part, " %-30s :", label.c_str());
    text += part;
    for (std::size_t i = 0; i < count; ++i, ++at) {
      std::snprintf(part, sizeof part, "%8d", index.at(at));
      text += part;
    }
    text += "\n";
  }
  std::snprintf(part, sizeof part, " %-30s :%15.8f\n", "g", data.constant("g"));
  return text + part;
}

}  // namespace igcm::dynamico
