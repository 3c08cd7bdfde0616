#include <fmt/format.h>

#include <cmath>

#include "analytics/operators/support/arguments.hpp"
#include "analytics/operators/support/coordinates.hpp"
#include "analytics/operators/support/gather.hpp"

namespace tailrace::analytics::operators {
namespace {

// The cells selected along a dimension.
struct Cut {
  std::size_t place = 0;
  std::vector<std::int64_t> indices;
  bool dropped = false;  // a single index removes the dimension
};

std::int64_t from_start(std::int64_t index, std::int64_t extent, std::int64_t last, const std::string& dim) {
  const std::int64_t counted = index < 0 ? index + extent : index;
  if (counted >= 0 && counted <= last) return counted;
  throw CallProblem(-1, dim,
                    fmt::format("index {} is out of range: dimension \"{}\" has {} cells (0 to {})", index,
                                dim, extent, extent - 1));
}

Cut cut_of(const Call& call, const std::string& dim) {
  const std::size_t place = place_of(call, dim);
  const std::int64_t extent = call.arguments[0].dims[place].extent;
  const std::vector<double> given = numbers(call, dim);
  if (!is_list(call, dim))
    return {.place = place,
            .indices = {from_start(to_whole(given[0], dim), extent, extent - 1, dim)},
            .dropped = true};
  if (given.size() < 2 || given.size() > 3)
    throw CallProblem(-1, dim, fmt::format("{}= takes an index, [start, stop] or [start, stop, step]", dim));
  const std::int64_t start = from_start(to_whole(given[0], dim), extent, extent - 1, dim);
  const std::int64_t stop = from_start(to_whole(given[1], dim), extent, extent, dim);
  const std::int64_t step = given.size() == 3 ? to_whole(given[2], dim) : 1;
  if (step < 1) throw CallProblem(-1, dim, fmt::format("the step must be 1 or more, not {}", step));
  if (start >= stop) throw CallProblem(-1, dim, fmt::format("[{}, {}] of \"{}\" is empty", start, stop, dim));
  Cut cut{place, {}, false};
  for (std::int64_t i = start; i < stop; i += step) cut.indices.push_back(i);
  return cut;
}

std::vector<Cut> cuts_of(const Call& call) {
  std::vector<Cut> cuts;
  for (const auto& [name, value] : call.parameters)
    if (!name.ends_with(".coordinates")) cuts.push_back(cut_of(call, name));
  if (cuts.empty()) throw CallProblem(-1, "", "needs at least one DIM=index or DIM=[start, stop]");
  return cuts;
}

Array sliced(const std::vector<Cut>& cuts, const ConstArray& a) {
  std::vector<std::vector<std::int64_t>> indices;
  std::vector<model::Runs> runs;
  for (std::size_t d = 0; d < a.region->rank(); ++d) {
    indices.emplace_back();
    const auto cut = std::find_if(cuts.begin(), cuts.end(), [d](const Cut& of) { return of.place == d; });
    if (cut == cuts.end()) {
      for (std::int64_t i = 0; i < a.region->count(d); ++i) indices[d].push_back(i);
      runs.push_back(a.region->runs(d));
      continue;
    }
    indices[d] = cut->indices;
    if (!cut->dropped) runs.push_back({{0, std::ssize(cut->indices)}});
  }
  return {model::Region(runs), pick(a.values, a.region->counts(), indices)};
}

class Slice final : public Kernel {
 public:
  OperatorDoc doc() const override {
    return {"slice(a, DIM=index or [start, stop] or [start, stop, step], ...)",
            "A part selected by index, from 0, negative from the end, stop excluded, as in NumPy, but an "
            "index out of range is an error. A single index removes the dimension; with a range of n cells "
            "it is called DIM_n. NaN is kept. Empty blocks give empty blocks; length 1 has only index 0.",
            "copies the selected cells; gathers the dimensions it cuts", ""};
  }
  Shape infer(const Call& call) const override {
    expect_arguments(call, 1, 1);
    expect_no_dims(call);
    Shape shape = call.arguments[0];
    std::vector<bool> dropped(shape.dims.size(), false);
    for (const Cut& cut : cuts_of(call)) {
      dropped[cut.place] = cut.dropped;
      if (!cut.dropped) shape.dims[cut.place] = shortened(shape.dims[cut.place], std::ssize(cut.indices));
    }
    Call cut_call = call;
    cut_call.arguments[0] = shape;
    return without(cut_call, dropped);
  }
  std::optional<DimCoordinate> coordinate_made(const Call& call, const std::string& dim,
                                               const std::vector<Described>& arguments) const override {
    for (const Cut& cut : cuts_of(call)) {
      const Dim& whole = call.arguments[0].dims[cut.place];
      if (cut.dropped || std::ssize(cut.indices) == whole.extent) continue;
      const DimCoordinate* coordinate = coordinate_along(call, arguments, whole.name);
      if (coordinate != nullptr && dim == shortened(whole, std::ssize(cut.indices)).name)
        return cells_of(*coordinate, dim, cut.indices);
    }
    return std::nullopt;
  }
  std::vector<std::string> needs_whole(const Call& call) const override {
    std::vector<std::string> names;
    for (const Cut& cut : cuts_of(call))
      if (call.arguments[0].dims[cut.place].split) names.push_back(call.arguments[0].dims[cut.place].name);
    return names;
  }
  std::unique_ptr<KernelRun> start(const Call& call) const override {
    return run_of(
        [cuts = cuts_of(call)](std::span<const ConstArray> arguments) { return sliced(cuts, arguments[0]); });
  }
};

const OperatorEntry slice("slice", std::make_shared<Slice>());

}  // namespace
}  // namespace tailrace::analytics::operators
