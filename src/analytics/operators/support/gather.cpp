#include "analytics/operators/support/gather.hpp"

#include "analytics/operators/support/arguments.hpp"
#include "analytics/operators/support/walk.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::operators {
namespace {

class FunctionRun final : public KernelRun {
 public:
  explicit FunctionRun(std::function<Array(std::span<const ConstArray>)> compute)
      : compute_(std::move(compute)) {}
  Array compute(std::span<const ConstArray> arguments) override { return compute_(arguments); }

 private:
  std::function<Array(std::span<const ConstArray>)> compute_;
};

}  // namespace

std::unique_ptr<KernelRun> run_of(std::function<Array(std::span<const ConstArray>)> compute) {
  return std::make_unique<FunctionRun>(std::move(compute));
}

std::vector<std::int64_t> strides_of(std::span<const std::int64_t> counts) {
  std::vector<std::int64_t> strides(counts.size(), 1);
  for (std::size_t d = counts.size(); d-- > 1;) strides[d - 1] = strides[d] * counts[d];
  return strides;
}

std::vector<double> pick(std::span<const double> values, std::span<const std::int64_t> counts,
                         const std::vector<std::vector<std::int64_t>>& indices) {
  const std::vector<std::int64_t> strides = strides_of(counts);
  std::vector<std::vector<std::int64_t>> steps = indices;
  for (std::size_t d = 0; d < steps.size(); ++d)
    for (std::int64_t& step : steps[d]) step *= strides[d];
  const std::size_t inner_dims = steps.empty() ? 0 : steps.size() - 1;
  const std::vector<std::int64_t> inner = summed(steps, inner_dims, steps.size());
  std::vector<double> picked;
  for (const std::int64_t base : summed(steps, 0, inner_dims))
    for (const std::int64_t step : inner) picked.push_back(values[base::index(base + step)]);
  return picked;
}

model::Region replaced(const model::Region& region, std::size_t dimension,
                       std::optional<std::int64_t> extent) {
  std::vector<model::Runs> runs;
  for (std::size_t d = 0; d < region.rank(); ++d) {
    if (d != dimension)
      runs.push_back(region.runs(d));
    else if (extent)
      runs.push_back({{0, *extent}});
  }
  return model::Region(std::move(runs));
}

Lines::Lines(const model::Region& region, std::size_t dimension) {
  for (std::size_t d = 0; d < region.rank(); ++d) {
    std::size_t& part = d < dimension ? outer : d == dimension ? length : inner;
    part *= static_cast<std::size_t>(region.count(d));
  }
}

Slabs::Slabs(const model::Region& region, const std::vector<bool>& consumes) {
  const std::vector<std::int64_t> strides = strides_of(region.counts());
  std::vector<std::vector<std::int64_t>> of_kept, of_consumed;
  for (std::size_t d = 0; d < region.rank(); ++d) {
    auto& steps = (consumes[d] ? of_consumed : of_kept).emplace_back();
    for (std::int64_t i = 0; i < region.count(d); ++i) steps.push_back(i * strides[d]);
    if (consumes[d]) extents.push_back(region.count(d));
  }
  kept = summed(of_kept, 0, of_kept.size());
  consumed = summed(of_consumed, 0, of_consumed.size());
}

model::Region kept_and(const model::Region& region, const std::vector<bool>& consumed,
                       std::initializer_list<std::int64_t> extents) {
  std::vector<model::Runs> runs;
  for (std::size_t d = 0; d < region.rank(); ++d)
    if (!consumed[d]) runs.push_back(region.runs(d));
  for (const std::int64_t extent : extents) runs.push_back({{0, extent}});
  return model::Region(std::move(runs));
}

std::vector<std::string> split_consumed(const Call& call) {
  const std::vector<bool> consumed = consumed_dims(call);
  std::vector<std::string> names;
  for (std::size_t d = 0; d < consumed.size(); ++d)
    if (consumed[d] && call.arguments[0].dims[d].split) names.push_back(call.arguments[0].dims[d].name);
  return names;
}

}  // namespace tailrace::analytics::operators
