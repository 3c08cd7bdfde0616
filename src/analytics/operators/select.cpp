#include <algorithm>
#include <limits>

#include "analytics/operators/support/arguments.hpp"
#include "analytics/operators/support/coordinates.hpp"
#include "analytics/operators/support/gather.hpp"
#include "analytics/operators/support/interpolation.hpp"

namespace tailrace::analytics::operators {
namespace {

// A position along a dimension between two indices, which are equal for a cell.
struct Point {
  std::int64_t first = -1;  // -1: outside
  std::int64_t second = -1;
  double x = 0.0, x_first = 0.0, x_second = 0.0;
};

struct Selection {
  std::size_t place = 0;
  std::vector<Point> points;
  bool dropped = false;
};

// If two values are equally near, takes the higher one, as pandas does.
Point nearest(const std::vector<double>& coordinate, double x) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < coordinate.size(); ++i) {
    const double near = std::abs(coordinate[i] - x);
    const double nearest = std::abs(coordinate[best] - x);
    if (near < nearest || (near == nearest && coordinate[i] > coordinate[best])) best = i;
  }
  const auto index = static_cast<std::int64_t>(best);
  return {.first = index, .second = index, .x = x, .x_first = coordinate[best], .x_second = coordinate[best]};
}

Point linear(const std::vector<double>& coordinate, double x) {
  for (std::size_t i = 0; i < coordinate.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    if (coordinate[i] == x) return {.first = index, .second = index, .x = x, .x_first = x, .x_second = x};
    if (i > 0 && (coordinate[i - 1] < x) == (x < coordinate[i]))
      return {.first = index - 1,
              .second = index,
              .x = x,
              .x_first = coordinate[i - 1],
              .x_second = coordinate[i]};
  }
  return {};
}

Selection selection_of(const Call& call, const std::string& dim, bool interpolated) {
  Selection selection{place_of(call, dim), {}, !is_list(call, dim)};
  const std::vector<double> wanted = numbers(call, dim);
  const std::vector<double> coordinate = coordinates(call, dim);
  if (interpolated && !monotonic(coordinate))
    throw CallProblem(-1, dim, "the coordinate of \"" + dim + "\" is not monotonic");
  for (const double x : wanted)
    selection.points.push_back(interpolated ? linear(coordinate, x) : nearest(coordinate, x));
  return selection;
}

std::vector<std::string> selected_dims(const Call& call) {
  std::vector<std::string> names;
  for (const auto& [name, value] : call.parameters)
    if (name != "method" && !name.ends_with(".coordinates")) names.push_back(name);
  return names;
}

// From the last dimension to the first, so that removing one does not change the index of a later one.
std::vector<Selection> selections_of(const Call& call) {
  const bool interpolated = word(call, "method", "nearest", {"nearest", "linear"}) == "linear";
  std::vector<Selection> selections;
  for (const std::string& dim : selected_dims(call))
    selections.push_back(selection_of(call, dim, interpolated));
  std::sort(selections.begin(), selections.end(),
            [](const Selection& a, const Selection& b) { return a.place > b.place; });
  if (selections.empty()) throw CallProblem(-1, "", "needs at least one DIM=value");
  return selections;
}

Array along_one(const Selection& selection, const ConstArray& a) {
  const Lines lines(*a.region, selection.place);
  const std::int64_t extent = std::ssize(selection.points);
  Array result{replaced(*a.region, selection.place, selection.dropped ? std::nullopt : std::optional(extent)),
               {}};
  for (std::size_t o = 0; o < lines.outer; ++o)
    for (const Point& point : selection.points)
      for (std::size_t n = 0; n < lines.inner; ++n) {
        if (point.first < 0) {
          result.values.push_back(std::numeric_limits<double>::quiet_NaN());
          continue;
        }
        const double first = a.values[lines.at(o, static_cast<std::size_t>(point.first), n)];
        const double second = a.values[lines.at(o, static_cast<std::size_t>(point.second), n)];
        result.values.push_back(point.first == point.second
                                    ? first
                                    : between(point.x, point.x_first, first, point.x_second, second));
      }
  return result;
}

Array selected(const std::vector<Selection>& selections, const ConstArray& a) {
  Array result = along_one(selections[0], a);
  for (std::size_t s = 1; s < selections.size(); ++s) result = along_one(selections[s], result.view());
  return result;
}

class Select final : public Kernel {
 public:
  OperatorDoc doc() const override {
    return {"select(a, DIM=value or [values], ..., method=\"nearest\" | \"linear\")",
            "Values at given values of the dimension's coordinate: those of the nearest cell (of two equally "
            "near ones that with the higher coordinate, as xarray's sel), or interpolated between two cells "
            "as numpy.interp, NaN outside. A single value removes the dimension; with n values it is called "
            "DIM_n. A result from NaN is NaN. Empty blocks give empty blocks; for length 1 linear finds only "
            "its own coordinate.",
            "copies the selected cells; gathers the dimensions it selects in", ""};
  }
  Shape infer(const Call& call) const override {
    expect_arguments(call, 1, 1);
    expect_no_dims(call);
    Shape shape = call.arguments[0];
    for (const Selection& selection : selections_of(call)) {
      const auto dim = shape.dims.begin() + static_cast<std::ptrdiff_t>(selection.place);
      if (selection.dropped)
        shape.dims.erase(dim);
      else
        *dim = shortened(*dim, std::ssize(selection.points));
    }
    return shape;
  }
  std::vector<std::string> coordinates_wanted(const Call& call) const override { return selected_dims(call); }
  // The cells' own coordinates, or the requested ones for interpolation. Always given, since selecting all
  // cells in another order keeps the name of the dimension.
  std::optional<DimCoordinate> coordinate_made(const Call& call, const std::string& dim,
                                               const std::vector<Described>& arguments) const override {
    for (const Selection& selection : selections_of(call)) {
      const Dim& whole = call.arguments[0].dims[selection.place];
      if (selection.dropped || dim != shortened(whole, std::ssize(selection.points)).name) continue;
      const DimCoordinate* coordinate = coordinate_along(call, arguments, whole.name);
      DimCoordinate made = coordinate != nullptr ? described_as(*coordinate, dim) : DimCoordinate{dim, {}};
      const bool interpolated = text(call, "method", "nearest") == "linear";
      for (const Point& point : selection.points)
        made.values.push_back(interpolated ? point.x : point.x_first);
      return made;
    }
    return std::nullopt;
  }
  std::vector<std::string> needs_whole(const Call& call) const override {
    std::vector<std::string> names;
    for (const Selection& selection : selections_of(call))
      if (const Dim& dim = call.arguments[0].dims[selection.place]; dim.split) names.push_back(dim.name);
    return names;
  }
  std::unique_ptr<KernelRun> start(const Call& call) const override {
    return run_of([selections = selections_of(call)](std::span<const ConstArray> arguments) {
      return selected(selections, arguments[0]);
    });
  }
};

const OperatorEntry select("select", std::make_shared<Select>());

}  // namespace
}  // namespace tailrace::analytics::operators
