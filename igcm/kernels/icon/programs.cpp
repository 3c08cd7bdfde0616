#include "programs.hpp"

#include <algorithm>
#include <stdexcept>

#include "../common/program.hpp"
#include "blocked.hpp"
#include "made_grids.hpp"

namespace igcm::icon {
namespace {

template <class Real>
struct Functions {
  void (*vertical_integration)(const Blocked&, const Real*, const Real*, Real*);
  void (*divergence)(const Blocked&, const int*, const Real*, const Real*, Real*);
  void (*gradient)(const Blocked&, const int*, const int*, const Real*, const Real*, Real*);
  void (*neighbour_mean)(const Blocked&, const int*, const Real*, Real*);
  void (*laplacian)(const Blocked&, const int*, const Real*, const Real*, Real*);
  void (*weighted)(const Blocked&, const int*, const int*, const int*, const int*, const Real*, const Real*,
                   const Real*, Real*);
  void (*mixed)(const Blocked&, const int*, const Real*, const Real*, const Real*, const Real*, const Real*,
                Real*);
  void (*add_scaled)(const Blocked&, double, const Real*, Real*);
};

#define IGCM_FUNCTIONS(LANGUAGE, REAL)                                                            \
  Functions<REAL> {                                                                               \
    igcm_##LANGUAGE##_icon_vertical_integration_##REAL, igcm_##LANGUAGE##_icon_divergence_##REAL, \
        igcm_##LANGUAGE##_icon_gradient_##REAL, igcm_##LANGUAGE##_icon_neighbour_mean_##REAL,     \
        igcm_##LANGUAGE##_icon_laplacian_##REAL, igcm_##LANGUAGE##_icon_weighted_##REAL,          \
        igcm_##LANGUAGE##_icon_mixed_##REAL, igcm_##LANGUAGE##_icon_add_scaled_##REAL             \
  }

Functions<float> functions(Language language, float) {
  return language == Language::cpp ? IGCM_FUNCTIONS(c, float) : IGCM_FUNCTIONS(f, float);
}
Functions<double> functions(Language language, double) {
  return language == Language::cpp ? IGCM_FUNCTIONS(c, double) : IGCM_FUNCTIONS(f, double);
}

constexpr int most_slots = 65536;  // places of a few blocks then fit into 32 bits

// The grid and the fields of a dataset in blocks. Slots behind the last cell refer to cell 0 with weight 0.
template <class Real>
class Sheet {
 public:
  Sheet(Dataset& data, const Options& options)
      : data_(data), call_(functions(options.language, Real{})), weight_slots_(one_number(data, "blk", 1)) {
    const int slots = options.sizes.at("slots");
    b_.slots = slots > 0 ? slots : weight_slots_;
    if (b_.slots > most_slots)
      throw std::runtime_error((slots > 0 ? "--slots is " : "blk is ") + std::to_string(b_.slots) +
                               "; expected at most " + std::to_string(most_slots));
    b_.levels = one_number(data, "H", 3);
    cells_ = length_of_table("neighbor", 3);
    edges_ = length_of_table("ecell", 2);
    const auto blocks = [&](std::size_t n) { return (static_cast<int>(n) + b_.slots - 1) / b_.slots; };
    b_.cell_blocks = blocks(cells_);
    b_.edge_blocks = blocks(edges_);
  }

  const Blocked& blocked() const { return b_; }
  const Functions<Real>& call() const { return call_; }

  // A field (height, cell) of the dataset as (slot, level, block), gv_grad as the only one of edges.
  std::vector<Real> field(const std::string& name) {
    const std::size_t n = name == "gv_grad" ? edges_ : cells_;
    return in_blocks(data_.values(name, {levels_(), n}), n, levels_());
  }
  // A field (cell) as (slot, block).
  std::vector<Real> flat_field(const std::string& name) {
    return in_blocks(data_.values(name, {cells_}), cells_, 1);
  }
  std::vector<Real> per_level(const std::string& name) {
    if (!data_.has(name)) return std::vector<Real>(levels_(), 1);
    const double* values = data_.values(name, {levels_()});
    return {values, values + levels_()};
  }
  void store(const std::string& name, const std::vector<Real>& blocks, std::size_t n, std::size_t levels) {
    Field& target = levels == 0 ? data_.add(name, {n}, type()) : data_.add(name, {levels, n}, type());
    for (std::size_t i = 0; i < target.values.size(); ++i)
      target.values[i] = blocks[place(i % n, i / n, std::max<std::size_t>(levels, 1))];
  }

  // Weights of the n-th row of a table (rows, length) as (slot, block), or (slot, row, block) for all rows.
  std::vector<Real> weights(const std::string& name, std::size_t rows, std::size_t length, double otherwise) {
    std::vector<Real> result(rows * padded(length));
    const std::vector<std::size_t> shape = rows == 1 ? std::vector{length} : std::vector{rows, length};
    const double* given = data_.has(name) ? data_.values(name, shape) : nullptr;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t i = 0; i < length; ++i)
        result[place(i, r, rows)] = static_cast<Real>(given != nullptr ? given[r * length + i] : otherwise);
    return result;
  }
  std::vector<Real> divergence_weights() {
    if (data_.has("div_weights")) return weights("div_weights", 3, cells_, 0);
    const auto slots = static_cast<std::size_t>(weight_slots_);
    const double* by_slot = data_.values("edge_weights_by_slot", {3, slots});
    std::vector<Real> result(3 * padded(cells_));
    for (std::size_t n = 0; n < 3; ++n)
      for (std::size_t c = 0; c < cells_; ++c)
        result[place(c, n, 3)] = static_cast<Real>(by_slot[n * slots + c % slots]);
    return result;
  }

  // Where the values of the numbers in rows `first`, ... of a table stand in a field of `levels` levels,
  // from 1.
  std::vector<int> places(const std::string& name, std::size_t first, std::size_t rows, std::size_t target,
                          std::size_t levels) {
    const Field& table = data_.field(name);
    const std::size_t length = table.shape[1];
    std::vector<int> result(rows * padded(length), 1);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t i = 0; i < length; ++i) {
        const double number = table.values[(first + r) * length + i];
        if (!(number >= 0 && number < static_cast<double>(target)))
          throw std::runtime_error(data_.path() + ": \"" + name +
                                   "\" has a number that does not exist (from 0)");
        result[place(i, r, rows)] = static_cast<int>(place(static_cast<std::size_t>(number), 0, levels)) + 1;
      }
    return result;
  }
  std::vector<int> edges_of_cells() {
    data_.values("cedge", {3, cells_});
    return places("cedge", 0, 3, edges_, levels_());
  }
  std::vector<int> neighbours() { return places("neighbor", 0, 3, cells_, levels_()); }
  std::vector<int> cells_of_edges(std::size_t which, bool flat = false) {
    return places("ecell", which, 1, cells_, flat ? 1 : levels_());
  }
  [[nodiscard]] std::size_t cells() const { return cells_; }
  [[nodiscard]] std::size_t edges() const { return edges_; }
  [[nodiscard]] std::size_t levels_() const { return static_cast<std::size_t>(b_.levels); }
  [[nodiscard]] bool sphere() const { return data_.has("lap_weights"); }

 private:
  static int one_number(const Dataset& data, const std::string& attribute, int least) {
    const std::vector<int> numbers = data.integers(attribute);
    if (numbers.size() != 1 || numbers[0] < least)
      throw std::runtime_error(data.path() + ": the attribute \"" + attribute + "\" " +
                               (numbers.size() != 1
                                    ? "has " + std::to_string(numbers.size()) + " numbers; expected one"
                                    : "is " + std::to_string(numbers[0]) + "; expected a number") +
                               " of at least " + std::to_string(least));
    return numbers[0];
  }
  // A table (rows, length) of numbers of cells or edges; throws on another shape.
  std::size_t length_of_table(const std::string& name, std::size_t rows) {
    const std::vector<std::size_t>& shape = data_.field(name).shape;
    const std::size_t length = shape.empty() ? 0 : shape.back();
    data_.values(name, {rows, length});
    return length;
  }
  std::vector<Real> in_blocks(const double* values, std::size_t n, std::size_t levels) const {
    std::vector<Real> result(levels * padded(n));
    for (std::size_t k = 0; k < levels; ++k)
      for (std::size_t i = 0; i < n; ++i) result[place(i, k, levels)] = static_cast<Real>(values[k * n + i]);
    return result;
  }
  static Type type() { return sizeof(Real) == 4 ? Type::real32 : Type::real64; }
  [[nodiscard]] std::size_t padded(std::size_t n) const {
    const auto slots = static_cast<std::size_t>(b_.slots);
    return (n + slots - 1) / slots * slots;
  }
  [[nodiscard]] std::size_t place(std::size_t i, std::size_t level, std::size_t levels) const {
    const auto slots = static_cast<std::size_t>(b_.slots);
    return (i / slots * levels + level) * slots + i % slots;
  }

  Dataset& data_;
  Functions<Real> call_;
  int weight_slots_;  // blk, which the weights of the sheet follow whatever the blocks in memory are
  Blocked b_{};
  std::size_t cells_ = 0, edges_ = 0;
};

// Runs a kernel within a timer of its own, so that the change of layout around it does not count.
template <class Kernel>
void timed(Timers& timers, const std::string& name, const Kernel& kernel) {
  timers.start(name);
  kernel();
  timers.stop(name);
}

template <class Real>
void run_divergence(Sheet<Real>& s, Timers& timers, const std::vector<Real>& grad, std::vector<Real>& dvg) {
  const std::vector<int> edge = s.edges_of_cells();
  const std::vector<Real> weight = s.divergence_weights();
  timed(timers, "divergence",
        [&] { s.call().divergence(s.blocked(), edge.data(), weight.data(), grad.data(), dvg.data()); });
}

template <class Real>
void run_gradient(Sheet<Real>& s, Timers& timers, std::vector<Real>& grad) {
  const std::vector<int> first = s.cells_of_edges(0), second = s.cells_of_edges(1);
  const std::vector<Real> weight = s.weights("grad_weights", 1, s.edges(), 1), t = s.field("gv_temp");
  timed(timers, "gradient", [&] {
    s.call().gradient(s.blocked(), first.data(), second.data(), weight.data(), t.data(), grad.data());
  });
}

template <class Real>
void compute(const std::string& result, Sheet<Real>& s, Timers& timers) {
  const auto is = [&](const char* name) { return result == name; };
  if (is("grad__gv_grad") || is("grad_dvg__gv_dvg")) {
    std::vector<Real> grad = s.field("gv_grad");
    run_gradient(s, timers, grad);
    if (is("grad__gv_grad")) return s.store(result, grad, s.edges(), s.levels_());
    std::vector<Real> dvg = s.field("gv_dvg");
    run_divergence(s, timers, grad, dvg);
    s.store(result, dvg, s.cells(), s.levels_());
  } else if (is("dvg__gv_dvg")) {
    std::vector<Real> dvg = s.field("gv_dvg");
    run_divergence(s, timers, s.field("gv_grad"), dvg);
    s.store(result, dvg, s.cells(), s.levels_());
  } else if (is("lap__gv_temp")) {
    const std::vector<Real> t = s.field("gv_temp"), weight = s.weights("lap_weights", 3, s.cells(), 1);
    std::vector<Real> lap(t.size());
    const std::vector<int> neighbour = s.neighbours();
    timed(timers, "laplacian", [&] {
      if (s.sphere())
        s.call().laplacian(s.blocked(), neighbour.data(), weight.data(), t.data(), lap.data());
      else
        s.call().neighbour_mean(s.blocked(), neighbour.data(), t.data(), lap.data());
    });
    s.store(result, lap, s.cells(), s.levels_());
  } else if (is("step__gv_temp") || is("O1Normal3D__gv_temp")) {
    const std::vector<Real> dvg = s.field("gv_dvg");
    std::vector<Real> t = s.field("gv_temp");
    const double factor = is("step__gv_temp") ? 0.1 : 0.05;
    timed(timers, "add_scaled", [&] { s.call().add_scaled(s.blocked(), factor, dvg.data(), t.data()); });
    s.store(result, t, s.cells(), s.levels_());
  } else if (is("O2VertIntegration__gv_vi")) {
    const std::vector<Real> t = s.field("gv_temp"), thickness = s.per_level("layer_thickness");
    std::vector<Real> vi = s.flat_field("gv_vi");
    timed(timers, "vertical_integration",
          [&] { s.call().vertical_integration(s.blocked(), t.data(), thickness.data(), vi.data()); });
    s.store(result, vi, s.cells(), 0);
  } else if (is("O3Indirect2D__gv_ind2Dvar")) {
    const std::vector<int> first = s.cells_of_edges(0), second = s.cells_of_edges(1);
    const std::vector<int> flat_first = s.cells_of_edges(0, true), flat_second = s.cells_of_edges(1, true);
    const std::vector<Real> weight = s.weights("grad_weights", 1, s.edges(), 1), t = s.field("gv_temp");
    const std::vector<Real> parameter = s.flat_field("gv_ind2Dparam");
    std::vector<Real> var = s.field("gv_grad");
    timed(timers, "weighted", [&] {
      s.call().weighted(s.blocked(), first.data(), second.data(), flat_first.data(), flat_second.data(),
                        weight.data(), parameter.data(), t.data(), var.data());
    });
    s.store(result, var, s.edges(), s.levels_());
  } else if (is("O8ind__gv_o8var")) {
    const std::vector<int> edge = s.edges_of_cells();
    const std::vector<Real> p1 = s.flat_field("gv_o8param0"), p2 = s.flat_field("gv_o8param1"),
                            p3 = s.flat_field("gv_o8param2");
    const std::vector<Real> q = s.field("gv_o8par2"), grad = s.field("gv_grad");
    std::vector<Real> var = s.field("gv_o8var");
    timed(timers, "mixed", [&] {
      s.call().mixed(s.blocked(), edge.data(), p1.data(), p2.data(), p3.data(), q.data(), grad.data(),
                     var.data());
    });
    s.store(result, var, s.cells(), s.levels_());
  }
}

// The results, in the order of the exchange file, with the fields that each of them reads or changes.
struct Result {
  std::string name;
  std::vector<std::string> inputs;
};
const std::vector<Result> results{
    {"grad__gv_grad", {"gv_temp", "gv_grad"}},
    {"dvg__gv_dvg", {"gv_grad", "gv_dvg"}},
    {"lap__gv_temp", {"gv_temp"}},
    {"step__gv_temp", {"gv_temp", "gv_dvg"}},
    {"O1Normal3D__gv_temp", {"gv_temp", "gv_dvg"}},
    {"O2VertIntegration__gv_vi", {"gv_temp", "gv_vi"}},
    {"O3Indirect2D__gv_ind2Dvar", {"gv_temp", "gv_ind2Dparam", "gv_grad"}},
    {"O8ind__gv_o8var", {"gv_grad", "gv_o8param0", "gv_o8param1", "gv_o8param2", "gv_o8par2", "gv_o8var"}},
    {"grad_dvg__gv_dvg", {"gv_temp", "gv_grad", "gv_dvg"}}};

// The published sheet computes in float, the sphere in double.
bool in_float(const Dataset& data, const Options& options) {
  const std::string& precision = options.choices.at("precision");
  return precision == "float" || (precision == "auto" && !data.has("lap_weights"));
}

Dataset make(const Options& options, const std::vector<std::string>& inputs) {
  const bool sphere = options.choices.at("grid") == "sphere";
  Dataset data = sphere ? made_sphere(options) : made_sheet(options);
  add_fields(data, in_float(data, options) ? Type::real32 : Type::real64, inputs);
  return data;
}

void compute(const std::string& result, Dataset& data, const Options& options, Timers& timers) {
  if (in_float(data, options)) {
    Sheet<float> sheet(data, options);
    compute(result, sheet, timers);
  } else {
    Sheet<double> sheet(data, options);
    compute(result, sheet, timers);
  }
}

}  // namespace

int run(const std::string& program, const std::string& result, int argc, char** argv) {
  std::vector<std::string> names, inputs;
  for (const Result& one : results) {
    if (result != "all" && result != one.name) continue;
    names.push_back(one.name);
    for (const std::string& input : one.inputs)
      if (std::ranges::find(inputs, input) == inputs.end()) inputs.push_back(input);
  }
  std::vector<std::string> stored = inputs;
  for (const char* grid : {"neighbor", "cedge", "ecell", "map_ij_to_cell", "edge_weights_by_slot",
                           "div_weights", "lap_weights", "grad_weights", "layer_thickness", "cell_centre"})
    stored.emplace_back(grid);
  const auto call = [names](Dataset& data, const Options& options, Timers& timers) {
    for (const std::string& name : names) compute(name, data, options, timers);
  };
  return run_kernel({.name = program,
                     .attribute = "icoc",
                     .inputs = inputs,
                     .outputs = names,
                     .written = names,
                     .stored = stored,
                     .sizes = {{"G", 16}, {"H", 7}, {"blk", 20}, {"level", 3}, {"slots", 0}},
                     .choices = {{"grid", {"sheet", "sphere"}}, {"precision", {"auto", "float", "double"}}},
                     .make = [inputs](const Options& options) { return make(options, inputs); },
                     .call = call},
                    argc, argv);
}

}  // namespace igcm::icon
