#include "pipeline/regridding/coarsening.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/index.hpp"
#include "model/data_type.hpp"

namespace tailrace::pipeline::regridding {
namespace {

using sampling::OutputVariable;

constexpr double rounding = 1e-6;  // of the sum of valid shares, as regrid::apply has it

const plan::TargetGrid& target_of(const Blueprint& blueprint, const OutputVariable& variable) {
  const int grid = blueprint.field(variable.field).grid;
  const auto& targets = blueprint.plan.regridding->targets;
  const auto found = std::ranges::find(targets, grid, &plan::TargetGrid::grid);
  TAILRACE_ASSERT(found != targets.end(), "a pyramid is of targets");
  return *found;
}

const plan::RegridPlan& plan_of(const Blueprint& blueprint, const OutputVariable& variable) {
  const int planned = blueprint.layouts[variable.file].variables[variable.variable].plan;
  const int regrid = blueprint.plan.files[variable.file].variables[base::index(planned)].regrid;
  return blueprint.plan.regridding->regrids[base::index(regrid)];
}

struct Child {
  double value, area;
};
// The valid children of one cell, and the area of all.
struct Family {
  std::array<Child, 4> children{};
  std::size_t count = 0;
  double area = 0.0, valid_area = 0.0;

  void add(double value, bool is_valid, double size) {
    area += size;
    if (!is_valid) return;
    valid_area += size;
    children[count++] = {value, size};
  }
  std::span<const Child> valid() const { return {children.data(), count}; }
};

double mean_of(const Family& family, bool is_weighted, bool by_all) {
  double sum = 0.0;
  for (const Child& child : family.valid()) sum += is_weighted ? child.area * child.value : child.value;
  return sum / (by_all ? family.area : family.valid_area);
}

double extreme_of(const Family& family, bool largest) {
  double extreme = family.children[0].value;
  for (const Child& child : family.valid())
    if (std::isnan(child.value) || (largest ? child.value > extreme : child.value < extreme))
      extreme = child.value;
  return extreme;
}

// The first of several.
double most_frequent_of(const Family& family) {
  double best = 0.0, largest = -1.0;
  for (const Child& child : family.valid()) {
    double area = 0.0;
    for (const Child& other : family.valid())
      if (other.value == child.value) area += other.area;
    if (area <= largest) continue;
    largest = area;
    best = child.value;
  }
  return best;
}

struct Operation {
  plan::Coarsening kind;
  bool is_weighted, by_all;  // a mean: by areas; divided by those of all children
  double of(const Family& family) const {
    switch (kind) {
      case plan::Coarsening::maximum: return extreme_of(family, true);
      case plan::Coarsening::minimum: return extreme_of(family, false);
      case plan::Coarsening::most_frequent: return most_frequent_of(family);
      case plan::Coarsening::mean: break;
    }
    return mean_of(family, is_weighted, by_all);
  }
};

// Reads the numbers of a record.
template <class T>
struct Reader {
  const std::byte* record;
  T fill;
  bool is_packed;
  double scale, offset;

  Reader(const OutputVariable& finer, std::span<const std::byte> of)
      : record(of.data()),
        fill(finer.fill_value.as<T>()),
        is_packed(finer.packing.has_value()),
        scale(is_packed ? finer.packing->scale_factor : 1.0),
        offset(is_packed ? finer.packing->add_offset : 0.0) {}

  T at(std::size_t cell) const {
    T value;
    std::memcpy(&value, record + cell * sizeof(T), sizeof(T));
    return value;
  }
  bool is_valid(T value) const { return !(value == fill || (fill != fill && value != value)); }
  double number(T value) const {
    const auto as_stored = static_cast<double>(value);
    return is_packed ? as_stored * scale + offset : as_stored;
  }
};

// The most frequent case, means of four consecutive cells of one size, in a loop of its own, which takes a
// third of the time of the general one. A missing child adds 0 to a sum that is not -0, so bits are the same.
template <class T>
void average_fours(const Reader<T>& from, double least, bool by_all, CoarseRecord& to) {
  for (std::size_t cell = 0; cell < to.count; ++cell) {
    double sum = 0.0, valid = 0.0;
    for (std::size_t child = 4 * cell; child < 4 * cell + 4; ++child) {
      const T value = from.at(child);
      const bool is_valid = from.is_valid(value);
      sum += is_valid ? from.number(value) : 0.0;
      valid += is_valid ? 1.0 : 0.0;
    }
    to.valid[cell] = valid > 0.0 && valid >= least * 4.0;
    to.values[cell] =
        to.valid[cell] ? sum / (by_all ? 4.0 : valid) : std::numeric_limits<double>::quiet_NaN();
  }
}

// Cells of a part: rows of `width` cells, or without rows one row of all.
struct Shape {
  std::int64_t outer = 1, rows = 0, width = 1, inner = 1, first_row = 0;
  std::int64_t at(std::int64_t o, std::int64_t row, std::int64_t column, std::int64_t i) const {
    return ((o * rows + row) * width + column) * inner + i;
  }
};

Shape shape_of(const Blueprint& blueprint, const plan::TargetGrid& target, int part) {
  const model::Grid& grid = blueprint.info.declarations.grids[base::index(target.grid)];
  const model::Runs& own = blueprint.region(target.grid, part).runs(target.first_dim);
  Shape shape;
  for (std::size_t d = 0; d < grid.shape.size(); ++d) {
    if (d < target.first_dim) shape.outer *= grid.shape[d];
    if (d >= target.first_dim + target.dims) shape.inner *= grid.shape[d];
  }
  shape.rows = own.empty() ? 0 : own.front().count;
  shape.first_row = own.empty() ? 0 : own.front().start;
  if (target.dims == 2) shape.width = grid.shape[target.first_dim + 1];
  return shape;
}

// The children of a cell, row by row; of a target without rows four consecutive cells.
template <class Visit>
void for_children(const Shape& finer, bool has_rows, std::int64_t row, std::int64_t column,
                  const Visit& visit) {
  if (!has_rows) {
    for (std::int64_t child = 4 * row; child < 4 * row + 4; ++child) visit(child, std::int64_t{0});
    return;
  }
  for (std::int64_t y = 2 * row; y < std::min(2 * row + 2, finer.rows); ++y)
    for (std::int64_t x = 2 * column; x < std::min(2 * column + 2, finer.width); ++x) visit(y, x);
}

}  // namespace

CoarseRecord coarsen(const Blueprint& blueprint, const OutputVariable& finer_variable,
                     const OutputVariable& coarser_variable, int part, std::span<const std::byte> record) {
  const plan::TargetGrid& finer_target = target_of(blueprint, finer_variable);
  const plan::TargetGrid& target = target_of(blueprint, coarser_variable);
  const Shape from = shape_of(blueprint, finer_target, part), to = shape_of(blueprint, target, part);
  const bool has_rows = target.dims == 2;
  TAILRACE_ASSERT(
      from.first_row == (has_rows ? 2 : 4) * to.first_row && from.inner == to.inner && from.outer == to.outer,
      "the children of a cell lie on its part");
  CoarseRecord made(base::index(to.outer * to.rows * to.width * to.inner));
  const plan::RegridPlan& plan = plan_of(blueprint, coarser_variable);
  const Operation operation{plan.coarsening, !target.row_areas.empty(),
                            plan.rule.normalisation == regrid::Normalisation::destarea};
  const double least = plan.rule.coverage - rounding;
  model::dispatch(finer_variable.output, [&]<class T>(T) {
    const Reader<T> reader(finer_variable, record);
    if (operation.kind == plan::Coarsening::mean && !has_rows && !operation.is_weighted && to.inner == 1)
      return average_fours(reader, least, operation.by_all, made);
    std::size_t cell = 0;
    for (std::int64_t o = 0; o < to.outer; ++o)
      for (std::int64_t row = 0; row < to.rows; ++row)
        for (std::int64_t column = 0; column < to.width; ++column)
          for (std::int64_t i = 0; i < to.inner; ++i, ++cell) {
            Family family;
            for_children(from, has_rows, row, column, [&](std::int64_t y, std::int64_t x) {
              const double area =
                  target.row_areas.empty() ? 1.0 : target.row_areas[base::index(from.first_row + y)];
              const T value = reader.at(base::index(from.at(o, y, x, i)));
              family.add(reader.number(value), reader.is_valid(value), area);
            });
            const bool is_valid = family.count > 0 && family.valid_area >= least * family.area;
            made.valid[cell] = is_valid;
            made.values[cell] = is_valid ? operation.of(family) : std::numeric_limits<double>::quiet_NaN();
          }
  });
  return made;
}

}  // namespace tailrace::pipeline::regridding
