#include <algorithm>
#include <cmath>
#include <limits>

#include "analytics/operators/support/arguments.hpp"
#include "analytics/operators/support/gather.hpp"
#include "analytics/operators/support/interpolation.hpp"
#include "base/error.hpp"

namespace tailrace::analytics::operators {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Settings {
  std::size_t place = 0;
  std::vector<double> levels;  // in the coordinate's scale: logarithms for method "log"
  bool logarithmic = false;
  bool to_nearest = false;  // outside the range: the value at the nearer end
};

bool along_only(const Call& call) {
  const Dims& dims = call.arguments[1].dims;
  return dims.size() == 1 && dims[0].name == call.dims[0];
}

Settings settings_of(const Call& call) {
  Settings settings;
  settings.place = only_dim(call);
  settings.levels = numbers(call, "levels");
  settings.logarithmic = word(call, "method", "linear", {"linear", "log"}) == "log";
  settings.to_nearest = word(call, "extrapolate", "nan", {"nan", "nearest"}) == "nearest";
  if (settings.levels.empty()) throw CallProblem(-1, "", "parameter \"levels\" is missing");
  if (!settings.logarithmic) return settings;
  for (double& level : settings.levels) {
    if (!(level > 0.0)) throw CallProblem(-1, "levels", "method=\"log\" needs levels above 0");
    level = std::log(level);
  }
  return settings;
}

// A column of coordinates and values, either of which may be NaN.
struct Column {
  std::vector<double> x;
  std::vector<double> f;

  double at(double level, bool to_nearest) const {
    for (std::size_t i = 1; i < x.size(); ++i)
      if ((x[i - 1] <= level && level <= x[i]) || (x[i] <= level && level <= x[i - 1]))
        return between(level, x[i - 1], f[i - 1], x[i], f[i]);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i] == level) return f[i];  // if its neighbours have no coordinates, or there is only one cell
    return to_nearest ? beyond(level) : nan;
  }
  double beyond(double level) const {
    std::size_t lowest = x.size();
    std::size_t highest = x.size();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(x[i])) continue;
      if (lowest == x.size() || x[i] < x[lowest]) lowest = i;
      if (highest == x.size() || x[i] > x[highest]) highest = i;
    }
    if (lowest == x.size()) return nan;
    if (level < x[lowest]) return f[lowest];
    return level > x[highest] ? f[highest] : nan;
  }
};

Array interpolated(const Settings& settings, bool along, std::span<const ConstArray> arguments) {
  const ConstArray& a = arguments[0];
  const ConstArray& coordinate = arguments[1];
  const Lines lines(*a.region, settings.place);
  const std::size_t count = settings.levels.size();
  Array result{replaced(*a.region, settings.place, std::ssize(settings.levels)), {}};
  result.values.resize(lines.outer * count * lines.inner);
  // The coordinate has the cells of the argument, or lies along the dimension alone.
  const bool one = along && coordinate.values.size() == lines.length && a.values.size() != lines.length;
  TAILRACE_ASSERT(one || coordinate.values.size() == a.values.size(), "the coordinate is on other cells");
  Column column{std::vector<double>(lines.length), std::vector<double>(lines.length)};
  for (std::size_t o = 0; o < lines.outer; ++o)
    for (std::size_t n = 0; n < lines.inner; ++n) {
      for (std::size_t i = 0; i < lines.length; ++i) {
        const double x = coordinate.values[one ? i : lines.at(o, i, n)];
        column.x[i] = settings.logarithmic ? std::log(x) : x;
        column.f[i] = a.values[lines.at(o, i, n)];
      }
      for (std::size_t l = 0; l < count; ++l)
        result.values[(o * count + l) * lines.inner + n] = column.at(settings.levels[l], settings.to_nearest);
    }
  return result;
}

class Interpolate final : public Kernel {
 public:
  OperatorDoc doc() const override {
    return {
        "interpolate(a, coordinate, DIM, levels=[...], method=\"linear\" | \"log\", extrapolate=\"nan\" | "
        "\"nearest\", dim=\"DIM_level\")",
        "Values at levels of a coordinate (height, pressure) that increases or decreases along a dimension, "
        "as "
        "numpy.interp column by column; with method=\"log\" linear in the logarithm of the coordinate. The "
        "coordinate has the dimensions of a, or DIM alone. Outside the column the result is NaN, or the "
        "value at the nearer end. Where a column is not monotonic, the first interval from its start that "
        "contains the level counts. Cells where the coordinate is NaN are ignored; NaN in a gives NaN beside "
        "it. Empty blocks give empty blocks; for length 1 only its own coordinate is found.",
        "one search of the column for each level; gathers the dimension", ""};
  }
  Shape infer(const Call& call) const override {
    expect_arguments(call, 2, 2);
    expect_parameters(call, {"levels", "method", "extrapolate", "dim"});
    const Settings settings = settings_of(call);
    check_coordinate(call, settings.place);
    Shape shape = call.arguments[0];
    const std::string name = level_dim(call);
    if (name != call.dims[0] && shape.find(name))
      throw CallProblem(-1, "dim", "the argument has a dimension \"" + name + "\" already");
    shape.dims[settings.place] = {.name = name, .extent = std::ssize(settings.levels), .split = false};
    return shape;
  }
  std::optional<DimCoordinate> coordinate_made(const Call& call, const std::string& dim,
                                               const std::vector<Described>& arguments) const override {
    if (dim != level_dim(call)) return std::nullopt;
    const Described& coordinate = arguments.at(1);
    return DimCoordinate{dim,
                         numbers(call, "levels"),
                         call.arguments[1].units.value_or(""),
                         coordinate.standard_name,
                         coordinate.long_name,
                         coordinate.attributes};
  }
  std::vector<std::string> needs_whole(const Call& call) const override { return split_consumed(call); }
  std::unique_ptr<KernelRun> start(const Call& call) const override {
    return run_of(
        [settings = settings_of(call), along = along_only(call)](std::span<const ConstArray> arguments) {
          return interpolated(settings, along, arguments);
        });
  }

 private:
  static std::string level_dim(const Call& call) { return text(call, "dim", call.dims[0] + "_level"); }
  static void check_coordinate(const Call& call, std::size_t place) {
    const Dims& dims = call.arguments[0].dims;
    const Dims& given = call.arguments[1].dims;
    bool fits = given.size() == dims.size();
    for (std::size_t d = 0; fits && d < dims.size(); ++d)
      fits = given[d].name == dims[d].name && given[d].extent == dims[d].extent;
    if (!fits && !(along_only(call) && given[0].extent == dims[place].extent))
      throw CallProblem(
          1, "",
          "the coordinate must have the dimensions of the first argument, in their order, or \"" +
              call.dims[0] + "\" alone");
  }
};

const OperatorEntry interpolate("interpolate", std::make_shared<Interpolate>());

}  // namespace
}  // namespace tailrace::analytics::operators
