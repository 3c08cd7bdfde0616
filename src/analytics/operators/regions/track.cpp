#include <algorithm>
#include <map>
#include <set>

#include "analytics/operators/regions/components.hpp"
#include "analytics/operators/support/arguments.hpp"
#include "analytics/operators/support/gather.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::operators::regions {
namespace {

// The number of cells that a region shares with one of the previous step.
struct Overlap {
  std::int64_t cells = 0;
  std::int64_t number = 0;  // of the region in the previous step
  std::int64_t region = 0;  // of this step, counted from 1
};

// Tracks the regions of one slab from step to step.
class Track {
 public:
  // `before`: the number of each cell in the previous step; 0: outside. `next`: the lowest unused number.
  Track(std::vector<std::int64_t>& before, std::int64_t& next) : before_(before), next_(next) {}

  void step(const Components& found) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(found.count) + 1, 0);
    inherit(found, numbers);
    for (std::size_t region = 1; region < numbers.size(); ++region)
      if (numbers[region] == 0) numbers[region] = next_++;
    for (std::size_t c = 0; c < before_.size(); ++c) before_[c] = numbers[base::index(found.labels[c])];
  }

 private:
  // Greedy assignment by decreasing overlap; each number is inherited by one region at most.
  void inherit(const Components& found, std::vector<std::int64_t>& numbers) const {
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> shared;
    for (std::size_t c = 0; c < before_.size(); ++c)
      if (before_[c] != 0 && found.labels[c] != 0) ++shared[{before_[c], found.labels[c]}];
    std::vector<Overlap> overlaps;
    for (const auto& [pair, cells] : shared) overlaps.push_back({cells, pair.first, pair.second});
    std::stable_sort(overlaps.begin(), overlaps.end(),
                     [](const Overlap& a, const Overlap& b) { return a.cells > b.cells; });
    std::set<std::int64_t> taken;
    for (const Overlap& overlap : overlaps) {
      std::int64_t& number = numbers[base::index(overlap.region)];
      if (number == 0 && taken.insert(overlap.number).second) number = overlap.number;
    }
  }

  std::vector<std::int64_t>& before_;
  std::int64_t& next_;
};

class TrackRun final : public KernelRun {
 public:
  TrackRun(std::vector<bool> consumed, Topology topology)
      : consumed_(std::move(consumed)), topology_(std::move(topology)) {}

  Array compute(std::span<const ConstArray> arguments) override {
    const ConstArray& condition = arguments[0];
    const Slabs slabs(*condition.region, consumed_);
    begin(slabs);
    Array result{*condition.region, std::vector<double>(condition.values.size())};
    std::vector<double> slab(slabs.consumed.size());
    std::vector<std::int64_t> numbers(slab.size());
    for (std::size_t k = 0; k < slabs.kept.size(); ++k) {
      for (std::size_t c = 0; c < slab.size(); ++c) {
        slab[c] = condition.values[slabs.at(k, c)];
        numbers[c] = numbers_[slabs.at(k, c)];
      }
      Track(numbers, next_[k]).step(components_of(slab, topology_));
      for (std::size_t c = 0; c < slab.size(); ++c) numbers_[slabs.at(k, c)] = numbers[c];
    }
    std::ranges::copy(numbers_, result.values.begin());
    return result;
  }

  std::vector<std::span<std::byte>> memories(const model::Region& result) override {
    begin(Slabs(result, consumed_));
    return {std::as_writable_bytes(std::span(numbers_)), std::as_writable_bytes(std::span(next_))};
  }

 private:
  void begin(const Slabs& slabs) {
    if (!next_.empty()) return;
    numbers_.assign(slabs.kept.size() * slabs.consumed.size(), 0);
    next_.assign(slabs.kept.size(), 1);
  }

  std::vector<bool> consumed_;
  Topology topology_;
  std::vector<std::int64_t> numbers_;  // of each cell in the previous step
  std::vector<std::int64_t> next_;     // lowest unused number of each slab
};

class Tracked final : public Kernel {
 public:
  OperatorDoc doc() const override {
    return {"track(condition, dims..., periodic=\"x, y\")",
            "Connected regions as in regions(), but with numbers that persist from step to step: a region "
            "inherits the number of the region in the previous step with which it shares most cells. The "
            "largest overlaps are assigned first (of equal ones the lower number, then the region whose "
            "first cell comes first). Where a region splits, the part with the largest overlap keeps the "
            "number and the others get new ones; where several merge, the one with the largest overlap "
            "passes on its number and the others end. A region without overlap gets a new number, in C order "
            "of first cells; numbers are never reused. Use the result with "
            "region_mean(..., "
            "labels=1). NaN is outside. A step without regions ends all of them. Empty blocks give empty "
            "blocks; a dimension of length 1 is not its own neighbour.",
            "as regions(), plus sorting the overlaps; gathers the whole argument and keeps one array of "
            "numbers",
            ""};
  }
  Shape infer(const Call& call) const override {
    expect_arguments(call, 1, 1);
    expect_parameters(call, {"periodic"});
    topology_of(call);
    Shape shape = call.arguments[0];
    for (Dim& dim : shape.dims) dim.split = false;  // gathered whole
    shape.units = dimensionless();
    return shape;
  }
  std::vector<std::string> needs_whole(const Call& call) const override {
    std::vector<std::string> names;
    for (const Dim& dim : call.arguments[0].dims)
      if (dim.split) names.push_back(dim.name);
    return names;
  }
  std::unique_ptr<KernelRun> start(const Call& call) const override {
    return std::make_unique<TrackRun>(consumed_dims(call), topology_of(call));
  }
  std::vector<Memory> memories(const Call& call) const override {
    const Dims dims = infer(call).dims;
    const std::vector<bool> consumed = consumed_dims(call);
    Dims kept;
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (!consumed[d]) kept.push_back(dims[d]);
    return {{"numbers", model::DataType::int64, dims}, {"next", model::DataType::int64, kept}};
  }
};

const OperatorEntry track("track", std::make_shared<Tracked>());

}  // namespace
}  // namespace tailrace::analytics::operators::regions
