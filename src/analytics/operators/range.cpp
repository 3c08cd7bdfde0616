#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analytics/operators/support/arguments.hpp"
#include "analytics/operators/support/coordinates.hpp"
#include "analytics/operators/support/gather.hpp"

namespace tailrace::analytics::operators {
namespace {

// The cells selected along a dimension, and the shifts of their coordinates: whole turns for longitudes.
struct Part {
  std::size_t place = 0;
  std::vector<std::int64_t> indices;
  std::vector<double> shifts;
};

std::pair<double, double> limits_of(const Call& call, const std::string& dim) {
  const std::vector<double> given = numbers(call, dim);
  if (given.size() != 2 || given[0] > given[1])
    throw CallProblem(-1, dim,
                      fmt::format("{0}= takes the least and the largest value of \"{0}\", [from, to]", dim));
  return {given[0], given[1]};
}

// The period of the coordinate; 0: not periodic.
double turn_of(const Call& call, const std::string& dim) {
  const std::vector<double> turn = numbers(call, dim + ".turn.coordinates");
  return turn.empty() ? 0.0 : turn.front();
}

Part part_of(const Call& call, const std::string& dim) {
  Part part{place_of(call, dim), {}, {}};
  const auto [from, to] = limits_of(call, dim);
  const std::vector<double> values = coordinates(call, dim);
  const double turn = turn_of(call, dim);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double shift = turn > 0.0 ? -turn * std::floor((values[i] - from) / turn) : 0.0;
    if (values[i] + shift < from || values[i] + shift > to) continue;
    part.indices.push_back(static_cast<std::int64_t>(i));
    part.shifts.push_back(shift);
  }
  if (part.indices.empty()) {
    const auto [least, largest] = std::ranges::minmax(values);
    throw CallProblem(-1, dim,
                      fmt::format("no cell of \"{}\" lies from {} to {}: its coordinate goes from {} to {}",
                                  dim, from, to, least, largest));
  }
  // A selection on both sides of the seam is joined there.
  const auto seam = std::ranges::adjacent_find(part.shifts, std::not_equal_to<>());
  if (seam != part.shifts.end()) {
    const auto behind = seam - part.shifts.begin() + 1;
    std::rotate(part.shifts.begin(), part.shifts.begin() + behind, part.shifts.end());
    std::rotate(part.indices.begin(), part.indices.begin() + behind, part.indices.end());
  }
  return part;
}

std::vector<std::string> dims_of(const Call& call) {
  std::vector<std::string> names;
  for (const auto& [name, value] : call.parameters)
    if (!name.ends_with(".coordinates")) names.push_back(name);
  return names;
}

std::vector<Part> parts_of(const Call& call) {
  std::vector<Part> parts;
  for (const std::string& dim : dims_of(call)) parts.push_back(part_of(call, dim));
  if (parts.empty()) throw CallProblem(-1, "", "needs at least one DIM=[from, to]");
  return parts;
}

Array taken(const std::vector<Part>& parts, const ConstArray& a) {
  std::vector<std::vector<std::int64_t>> indices;
  std::vector<model::Runs> runs;
  for (std::size_t d = 0; d < a.region->rank(); ++d) {
    const auto part = std::ranges::find(parts, d, &Part::place);
    if (part != parts.end()) {
      indices.push_back(part->indices);
      runs.push_back({{0, std::ssize(part->indices)}});
      continue;
    }
    std::vector<std::int64_t>& all = indices.emplace_back();
    for (std::int64_t i = 0; i < a.region->count(d); ++i) all.push_back(i);
    runs.push_back(a.region->runs(d));
  }
  return {model::Region(runs), pick(a.values, a.region->counts(), indices)};
}

class Range final : public Kernel {
 public:
  OperatorDoc doc() const override {
    return {
        "range(a, DIM=[from, to], ...)",
        "A part selected by value: the cells whose coordinate lies from one value to the other, both "
        "included, in the order of the coordinate, as xarray's sel with a slice. The dimension of n cells is "
        "called DIM_n. A longitude (in degrees_east) may be given on any turn: lon=[-20, 30] on a grid from "
        "0 to 360 takes cells from both ends, and its coordinate is then -20 to 30. A range without a cell "
        "is an error. NaN is kept. Empty blocks give empty blocks; of length 1 all or nothing is taken.",
        "copies the selected cells; gathers the dimensions it selects in", ""};
  }
  Shape infer(const Call& call) const override {
    expect_arguments(call, 1, 1);
    expect_no_dims(call);
    Shape shape = call.arguments[0];
    for (const Part& part : parts_of(call))
      shape.dims[part.place] = shortened(shape.dims[part.place], std::ssize(part.indices));
    return shape;
  }
  // The period of a coordinate is requested in the same way; only longitudes have one.
  std::vector<std::string> coordinates_wanted(const Call& call) const override {
    std::vector<std::string> names = dims_of(call);
    for (const std::string& dim : dims_of(call)) names.push_back(dim + ".turn");
    return names;
  }
  std::optional<DimCoordinate> coordinate_made(const Call& call, const std::string& dim,
                                               const std::vector<Described>& arguments) const override {
    for (const Part& part : parts_of(call)) {
      const Dim& whole = call.arguments[0].dims[part.place];
      const DimCoordinate* coordinate = coordinate_along(call, arguments, whole.name);
      if (coordinate == nullptr || dim != shortened(whole, std::ssize(part.indices)).name) continue;
      DimCoordinate made = cells_of(*coordinate, dim, part.indices);
      for (std::size_t i = 0; i < part.shifts.size(); ++i) {
        made.values[i] += part.shifts[i];
        if (made.bounds.empty()) continue;
        made.bounds[2 * i] += part.shifts[i];
        made.bounds[2 * i + 1] += part.shifts[i];
      }
      return made;
    }
    return std::nullopt;
  }
  std::vector<std::string> needs_whole(const Call& call) const override {
    std::vector<std::string> names;
    for (const Part& part : parts_of(call))
      if (const Dim& dim = call.arguments[0].dims[part.place]; dim.split) names.push_back(dim.name);
    return names;
  }
  std::unique_ptr<KernelRun> start(const Call& call) const override {
    return run_of([parts = parts_of(call)](std::span<const ConstArray> arguments) {
      return taken(parts, arguments[0]);
    });
  }
};

const OperatorEntry range("range", std::make_shared<Range>());

}  // namespace
}  // namespace tailrace::analytics::operators
