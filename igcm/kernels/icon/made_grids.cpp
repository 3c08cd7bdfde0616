#include "made_grids.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "../../grid/grid.hpp"
#include "../common/noise.hpp"

namespace igcm::icon {
namespace {

// Number of the cell in column x and row y along the Hilbert curve of a square whose side is a power of two.
int hilbert(int side, int x, int y) {
  int d = 0;
  for (int s = side / 2; s > 0; s /= 2) {
    const int rx = (x & s) > 0, ry = (y & s) > 0;
    d += s * s * ((3 * rx) ^ ry);
    if (ry == 1) continue;
    if (rx == 1) {
      x = side - 1 - x;
      y = side - 1 - y;
    }
    std::swap(x, y);
  }
  return d;
}

void check_block(int blk) {
  if (blk % 2 != 0 || blk == 0)
    throw std::runtime_error("--blk: expected an even number, since weights alternate");
}

// A field of cells or edges: noise along the curve. Values of neighbours are near each other.
void add(Dataset& data, Type type, const std::string& name, std::size_t levels, std::size_t length,
         double middle, double amplitude) {
  Field& field = levels == 0 ? data.add(name, {length}, type) : data.add(name, {levels, length}, type);
  std::size_t seed = 0;
  for (char letter : name) seed = 31 * seed + static_cast<unsigned char>(letter);
  const SmoothNoise noise(seed);
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    const double place = static_cast<double>(i % length) / static_cast<double>(length);
    const double value = middle + amplitude * noise(7 * place, 3 * std::sin(20 * place),
                                                    0.11 * static_cast<double>(i / length));
    field.values[i] = type == Type::real32 ? static_cast<double>(static_cast<float>(value)) : value;
  }
}

}  // namespace

Dataset made_sheet(const Options& options) {
  const int side = options.sizes.at("G"), blk = options.sizes.at("blk");
  if (side < 2 || (side & (side - 1)) != 0 || side > 16384)
    throw std::runtime_error("--G: expected a power of two, from 2 to 16384");
  check_block(blk);
  const auto g = static_cast<std::size_t>(side), cells = g * g, edges = cells / 2 * 3;
  Dataset data;
  double* map = data.add("map_ij_to_cell", {g, g}, Type::int32).values.data();
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) map[i * side + j] = hilbert(side, i, j);
  double* neighbour = data.add("neighbor", {3, cells}, Type::int32).values.data();
  double* cedge = data.add("cedge", {3, cells}, Type::int32).values.data();
  double* ecell = data.add("ecell", {2, edges}, Type::int32).values.data();
  const auto number = [&](int i, int j) { return map[(i + side) % side * side + (j + side) % side]; };
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      const auto c = static_cast<std::size_t>(number(i, j));
      neighbour[c] = number(i + 1, j);
      neighbour[cells + c] = number(i - 1, j);
      neighbour[2 * cells + c] = number(i, (i + j) % 2 == 0 ? j - 1 : j + 1);
    }
  for (std::size_t c = 0; c < cells; ++c) {
    const auto left = static_cast<std::size_t>(neighbour[cells + c]);
    const auto across = static_cast<std::size_t>(neighbour[2 * cells + c]);
    const std::size_t e0 = 3 * c / 2, e2 = 3 * (c % 2 == 0 ? c : across) / 2 + 2;
    cedge[c] = static_cast<double>(e0);
    cedge[cells + c] = static_cast<double>(3 * left / 2);
    cedge[2 * cells + c] = static_cast<double>(e2);
    ecell[e0] = neighbour[c];
    ecell[edges + e0] = static_cast<double>(c);
    if (c % 2 != 0) continue;
    ecell[e2] = static_cast<double>(c);
    ecell[edges + e2] = static_cast<double>(across);
  }
  double* weights =
      data.add("edge_weights_by_slot", {3, static_cast<std::size_t>(blk)}, Type::real32).values.data();
  for (int slot = 0; slot < blk; ++slot) {
    weights[slot] = 1;
    weights[blk + slot] = -1;
    weights[2 * blk + slot] = slot % 2 == 0 ? -1 : 1;
  }
  data.set("G", std::vector<double>{1. * side});
  data.set("H", std::vector<double>{1. * options.sizes.at("H")});
  data.set("blk", std::vector<double>{1. * blk});
  return data;
}

Dataset made_sphere(const Options& options) {
  check_block(options.sizes.at("blk"));
  grid::GridOptions grid_options;
  grid_options.points.root = 1;
  grid_options.points.bisections = options.sizes.at("level");
  const grid::Grid g = grid::make_grid(grid_options);
  const auto cells = static_cast<std::size_t>(g.all_cells), edges = static_cast<std::size_t>(g.all_edges);
  Dataset data;
  double* neighbour = data.add("neighbor", {3, cells}, Type::int32).values.data();
  double* cedge = data.add("cedge", {3, cells}, Type::int32).values.data();
  double* ecell = data.add("ecell", {2, edges}, Type::int32).values.data();
  double* div = data.add("div_weights", {3, cells}).values.data();
  double* lap = data.add("lap_weights", {3, cells}).values.data();
  double* grad = data.add("grad_weights", {edges}).values.data();
  for (std::size_t c = 0; c < cells; ++c)
    for (std::size_t n = 0; n < 3; ++n) {
      const auto e = static_cast<std::size_t>(g.edge_of_cell[c][n]);
      neighbour[n * cells + c] = g.neighbor_cell_index[c][n];
      cedge[n * cells + c] = static_cast<double>(e);
      div[n * cells + c] = g.orientation_of_normal[c][n] * g.edge_length[e] / g.cell_area[c];
      lap[n * cells + c] = g.edge_length[e] / (g.cell_area[c] * g.dual_edge_length[e]);
    }
  for (std::size_t e = 0; e < edges; ++e) {
    ecell[e] = g.adjacent_cell_of_edge[e][1];  // the normal points from cell 0 to cell 1
    ecell[edges + e] = g.adjacent_cell_of_edge[e][0];
    grad[e] = 1 / g.dual_edge_length[e];
  }
  const std::size_t levels = options.size("H");
  double* thickness = data.add("layer_thickness", {levels}).values.data();
  for (std::size_t k = 0; k < levels; ++k) thickness[k] = 100 * std::pow(1.1, static_cast<double>(k));
  double* centre = data.add("cell_centre", {3, cells}).values.data();
  for (std::size_t c = 0; c < cells; ++c) {
    centre[c] = g.cell_centre[c].x;
    centre[cells + c] = g.cell_centre[c].y;
    centre[2 * cells + c] = g.cell_centre[c].z;
  }
  data.set("H", std::vector<double>{1. * options.sizes.at("H")});
  data.set("blk", std::vector<double>{1. * options.sizes.at("blk")});
  return data;
}

void add_fields(Dataset& data, Type type, const std::vector<std::string>& names) {
  struct Made {
    const char* name;
    bool edges, levels;
    double middle, amplitude;
  };
  static constexpr Made fields[]{{"gv_temp", false, true, 280, 20},
                                 {"gv_grad", true, true, 0, 5},
                                 {"gv_dvg", false, true, 0, 5},
                                 {"gv_vi", false, false, 10, 5},
                                 {"gv_ind2Dparam", false, false, 1, 0.5},
                                 {"gv_o8param0", false, false, 1. / 3, 0.1},
                                 {"gv_o8param1", false, false, 1. / 3, 0.1},
                                 {"gv_o8param2", false, false, 1. / 3, 0.1},
                                 {"gv_o8par2", false, true, 0.5, 0.4},
                                 {"gv_o8var", false, true, 0, 5}};
  const std::size_t cells = data.field("neighbor").shape[1], edges = data.field("ecell").shape[1];
  const auto levels = static_cast<std::size_t>(data.integers("H").at(0));
  for (const Made& f : fields)
    if (std::ranges::find(names, f.name) != names.end())
      add(data, type, f.name, f.levels ? levels : 0, f.edges ? edges : cells, f.middle, f.amplitude);
  if (!data.has("cell_centre") || !data.has("gv_temp")) return;
  // On the sphere the temperature is a smooth function of the place.
  const std::vector<double>& x = data.field("cell_centre").values;
  std::vector<double>& t = data.field("gv_temp").values;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const std::size_t c = i % cells;
    t[i] = 280 + 20 * x[c] * x[cells + c] + 10 * x[2 * cells + c] - static_cast<double>(i / cells);
    if (type == Type::real32) t[i] = static_cast<double>(static_cast<float>(t[i]));
  }
}

}  // namespace igcm::icon
