#include <algorithm>
#include <limits>

#include "analytics/operators/support/arguments.hpp"
#include "analytics/operators/support/coordinates.hpp"
#include "analytics/operators/support/gather.hpp"
#include "analytics/operators/support/walk.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::operators {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Coarsening {
  std::vector<std::int64_t> periods;  // by dimension of the argument; 1: unchanged
  std::string method;
  bool skip_missing = false;
};

bool is_option(const std::string& name) {
  return name == "method" || name == "skip_missing" || name.ends_with(".coordinates");
}

Coarsening coarsening_of(const Call& call) {
  Coarsening coarsening{std::vector<std::int64_t>(call.arguments.at(0).dims.size(), 1),
                        word(call, "method", "mean", {"mean", "sample", "sum", "min", "max"}),
                        flag(call, "skip_missing")};
  bool any = false;
  for (const auto& [name, value] : call.parameters) {
    if (is_option(name)) continue;
    const std::int64_t period = whole_number(call, name, 1);
    if (period < 1)
      throw CallProblem(-1, name, name + "= must be 1 or more: the number of cells combined into one");
    coarsening.periods[place_of(call, name)] = period;
    any = true;
  }
  if (!any) throw CallProblem(-1, "", "needs at least one DIM=N: the number of cells combined into one");
  return coarsening;
}

std::int64_t coarse(std::int64_t extent, std::int64_t period) { return (extent + period - 1) / period; }

// Shortened dimensions are whole; the others are unchanged.
model::Region coarse_region(const Coarsening& coarsening, const model::Region& region) {
  std::vector<model::Runs> runs;
  for (std::size_t d = 0; d < region.rank(); ++d) {
    const std::int64_t period = coarsening.periods[d];
    runs.push_back(period == 1 ? region.runs(d) : model::Runs{{0, coarse(region.count(d), period)}});
  }
  return model::Region(std::move(runs));
}

struct Box {
  double total = 0.0;
  double first = nan, lowest = nan, highest = nan;  // NaN without any value
  std::int64_t count = 0;
  bool missing = false;

  void add(double value, bool skip_missing) {
    if (value != value) {
      if (skip_missing) return;
      missing = true;
    }
    if (count++ == 0) first = lowest = highest = value;
    total += value;
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  double result(const std::string& method) const {
    if (method == "sum") return total;
    if (method == "mean") return total / static_cast<double>(count);
    if (missing) return nan;
    return method == "min" ? lowest : highest;
  }
};

Array sampled(const Coarsening& coarsening, const ConstArray& a) {
  std::vector<std::vector<std::int64_t>> indices(a.region->rank());
  for (std::size_t d = 0; d < indices.size(); ++d)
    for (std::int64_t i = 0; i < a.region->count(d); i += coarsening.periods[d]) indices[d].push_back(i);
  return {coarse_region(coarsening, *a.region), pick(a.values, a.region->counts(), indices)};
}

Array coarsened(const Coarsening& coarsening, const ConstArray& a) {
  if (coarsening.method == "sample") return sampled(coarsening, a);
  Array result{coarse_region(coarsening, *a.region), {}};
  const std::vector<std::int64_t> strides = strides_of(result.region.counts());
  std::vector<std::vector<std::int64_t>> targets(strides.size());
  for (std::size_t d = 0; d < strides.size(); ++d)
    for (std::int64_t i = 0; i < a.region->count(d); ++i)
      targets[d].push_back(i / coarsening.periods[d] * strides[d]);

  std::vector<Box> boxes(static_cast<std::size_t>(result.region.size()));
  const std::size_t inner_dims = targets.empty() ? 0 : targets.size() - 1;
  const std::vector<std::int64_t> inner = summed(targets, inner_dims, targets.size());
  auto value = a.values.begin();
  for (const std::int64_t base : summed(targets, 0, inner_dims))
    for (const std::int64_t step : inner)
      boxes[base::index(base + step)].add(*value++, coarsening.skip_missing);
  for (const Box& box : boxes) result.values.push_back(box.result(coarsening.method));
  return result;
}

DimCoordinate coarse_coordinate(const DimCoordinate& coordinate, const std::string& dim, std::int64_t period,
                                bool sampled) {
  DimCoordinate made = described_as(coordinate, dim);
  const auto step = static_cast<std::size_t>(period);
  for (std::size_t first = 0; first < coordinate.values.size(); first += step) {
    const std::size_t end = std::min(first + (sampled ? 1 : step), coordinate.values.size());
    double total = 0.0;
    for (std::size_t i = first; i < end; ++i) total += coordinate.values[i];
    made.values.push_back(total / static_cast<double>(end - first));
    if (!coordinate.bounds.empty())
      made.bounds.insert(made.bounds.end(), {coordinate.bounds[2 * first], coordinate.bounds[2 * end - 1]});
  }
  return made;
}

class Coarsen final : public Kernel {
 public:
  OperatorDoc doc() const override {
    return {
        "coarsen(a, DIM=N, ..., method=\"mean\" | \"sample\" | \"sum\" | \"min\" | \"max\", skip_missing=0)",
        "Combines every N cells along each named dimension into one, as xarray's coarsen(boundary=\"pad\"): "
        "the mean, sum, min or max over the box, or with sample its first cell. The last box may be smaller. "
        "The dimension is then called DIM_n, where n is its new length. NaN gives NaN; skip_missing=1 leaves "
        "it out (a box of NaN alone gives NaN, its sum is 0). Empty blocks give empty blocks; length 1 is "
        "unchanged.",
        "one pass over the cells; gathers the dimensions it shortens", ""};
  }
  Shape infer(const Call& call) const override {
    expect_arguments(call, 1, 1);
    expect_no_dims(call);
    const Coarsening coarsening = coarsening_of(call);
    Shape shape = call.arguments[0];
    for (std::size_t d = 0; d < shape.dims.size(); ++d)
      if (coarsening.periods[d] > 1)
        shape.dims[d] = shortened(shape.dims[d], coarse(shape.dims[d].extent, coarsening.periods[d]));
    return shape;
  }
  std::optional<DimCoordinate> coordinate_made(const Call& call, const std::string& dim,
                                               const std::vector<Described>& arguments) const override {
    const Coarsening coarsening = coarsening_of(call);
    for (std::size_t d = 0; d < coarsening.periods.size(); ++d) {
      const Dim& whole = call.arguments[0].dims[d];
      const std::int64_t extent = coarse(whole.extent, coarsening.periods[d]);
      const DimCoordinate* coordinate = coordinate_along(call, arguments, whole.name);
      if (extent != whole.extent && coordinate != nullptr && dim == shortened(whole, extent).name)
        return coarse_coordinate(*coordinate, dim, coarsening.periods[d], coarsening.method == "sample");
    }
    return std::nullopt;
  }
  bool can_skip_missing() const override { return true; }
  bool is_zero_of_nothing(const Call& call) const override { return text(call, "method", "mean") == "sum"; }
  std::vector<std::string> needs_whole(const Call& call) const override {
    const Coarsening coarsening = coarsening_of(call);
    std::vector<std::string> names;
    for (std::size_t d = 0; d < coarsening.periods.size(); ++d)
      if (const Dim& dim = call.arguments[0].dims[d]; coarsening.periods[d] > 1 && dim.split)
        names.push_back(dim.name);
    return names;
  }
  std::unique_ptr<KernelRun> start(const Call& call) const override {
    return run_of([coarsening = coarsening_of(call)](std::span<const ConstArray> arguments) {
      return coarsened(coarsening, arguments[0]);
    });
  }
};

const OperatorEntry coarsen("coarsen", std::make_shared<Coarsen>());

}  // namespace
}  // namespace tailrace::analytics::operators
