// region_count, region_label, region_size, region_centroid, region_sum, region_mean, region_min, region_max:
// a number for each connected region, along a new dimension "region".
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "analytics/operators/regions/components.hpp"
#include "analytics/operators/support/arguments.hpp"
#include "analytics/operators/support/coordinates.hpp"
#include "analytics/operators/support/gather.hpp"
#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::operators::regions {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

enum class Statistic { count, label, size, centroid, sum, mean, min, max };

struct Kind {
  Statistic statistic;
  const char* name;
  const char* description;
  bool of_values;  // has a second argument
};

constexpr std::array kinds{
    Kind{Statistic::count, "region_count", "The number of connected regions, as scipy.ndimage.label.", false},
    Kind{Statistic::label, "region_label",
         "The number of each region: 1, 2, ...; tracked regions have their own.", false},
    Kind{Statistic::size, "region_size",
         "The number of cells of each region, as numpy.bincount of the labels.", false},
    Kind{Statistic::centroid, "region_centroid",
         "The mean index (from 0) along a dimension of each region's cells, as scipy.ndimage.center_of_mass; "
         "with several dimensions, along selects one. In a periodic dimension indices continue from the "
         "region's first cell across the end, and the mean is between 0 and the extent.",
         false},
    Kind{Statistic::sum, "region_sum", "The sum over each region's cells, as scipy.ndimage.sum.", true},
    Kind{Statistic::mean, "region_mean", "The mean over each region's cells, as scipy.ndimage.mean.", true},
    Kind{Statistic::min, "region_min", "The lowest value in each region, as scipy.ndimage.minimum.", true},
    Kind{Statistic::max, "region_max", "The highest value in each region, as scipy.ndimage.maximum.", true}};

// The regions by slot, in ascending order of their numbers.
struct Slots {
  std::vector<std::int64_t> of_cell;  // -1: in no region
  std::vector<double> labels;
};

Slots slots_of(std::span<const double> slab, const Topology& topology, bool labels_given) {
  Slots slots;
  if (!labels_given) {
    const Components found = components_of(slab, topology);
    for (const std::int64_t label : found.labels) slots.of_cell.push_back(label - 1);
    for (std::int64_t label = 1; label <= found.count; ++label)
      slots.labels.push_back(static_cast<double>(label));
    return slots;
  }
  std::map<double, std::int64_t> known;
  for (const double label : slab)
    if (inside(label)) known.emplace(label, 0);
  for (auto& [label, slot] : known) {
    slot = std::ssize(slots.labels);
    slots.labels.push_back(label);
  }
  for (const double label : slab) slots.of_cell.push_back(inside(label) ? known[label] : -1);
  return slots;
}

// The index of each cell of a region along dimension `d`, continued across periodic ends from the region's
// first cell.
std::vector<std::int64_t> unrolled(const Slots& slots, const Topology& topology, std::size_t d) {
  std::int64_t step = 1;
  for (std::size_t e = topology.extents.size(); --e > d;) step *= topology.extents[e];
  std::vector<std::int64_t> index(slots.of_cell.size(), 0);
  std::vector<bool> done(slots.of_cell.size(), false);
  std::vector<std::int64_t> front;
  for (std::size_t first = 0; first < index.size(); ++first) {
    if (done[first] || slots.of_cell[first] < 0) continue;
    done[first] = true;
    index[first] = static_cast<std::int64_t>(first) / step % topology.extents[d];
    front.assign(1, static_cast<std::int64_t>(first));
    for (std::size_t next = 0; next < front.size(); ++next) {  // breadth first, along shortest paths
      const auto cell = base::index(front[next]);
      topology.neighbours(front[next], [&](std::int64_t neighbour, std::size_t along, int way) {
        const auto n = base::index(neighbour);
        if (done[n] || slots.of_cell[n] != slots.of_cell[cell]) return;
        done[n] = true;
        index[n] = index[cell] + (along == d ? way : 0);
        front.push_back(neighbour);
      });
    }
  }
  return index;
}

struct Tally {
  double total = 0.0, lowest = nan, highest = nan;
  std::int64_t cells = 0;
  bool missing = false;

  void add(double value) {
    missing = missing || value != value;
    if (cells++ == 0) lowest = highest = value;
    total += value;
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
};

struct Settings {
  Statistic statistic;
  std::vector<bool> consumed;
  Topology topology;
  std::int64_t max = 64;
  bool labels_given = false;
  std::size_t along = 0;  // among the consumed dimensions
};

double result_of(const Settings& settings, const Tally& tally, double label) {
  const double mean = tally.total / static_cast<double>(tally.cells);
  switch (settings.statistic) {
    case Statistic::count: break;
    case Statistic::label: return label;
    case Statistic::size: return static_cast<double>(tally.cells);
    case Statistic::sum: return tally.total;
    case Statistic::mean: return mean;
    case Statistic::min: return tally.missing ? nan : tally.lowest;
    case Statistic::max: return tally.missing ? nan : tally.highest;
    case Statistic::centroid: {
      const auto extent = static_cast<double>(settings.topology.extents[settings.along]);
      return mean - std::floor(mean / extent) * extent;
    }
  }
  return nan;
}

std::vector<Tally> tallied(const Settings& settings, const Slots& slots, std::span<const double> values) {
  std::vector<Tally> tallies(slots.labels.size());
  std::vector<std::int64_t> index;
  if (settings.statistic == Statistic::centroid) index = unrolled(slots, settings.topology, settings.along);
  for (std::size_t c = 0; c < slots.of_cell.size(); ++c) {
    if (slots.of_cell[c] < 0) continue;
    const double value = !index.empty() ? static_cast<double>(index[c]) : values.empty() ? 0.0 : values[c];
    tallies[base::index(slots.of_cell[c])].add(value);
  }
  return tallies;
}

Array statistics(const Settings& settings, std::span<const ConstArray> arguments) {
  const model::Region& region = *arguments[0].region;
  TAILRACE_ASSERT(arguments.back().values.size() == arguments[0].values.size(),
                  "the values are on other cells");
  const Slabs slabs(region, settings.consumed);
  const bool count = settings.statistic == Statistic::count;
  Array result{
      count ? kept_and(region, settings.consumed, {}) : kept_and(region, settings.consumed, {settings.max}),
      {}};
  std::vector<double> slab(slabs.consumed.size());
  std::vector<double> values(arguments.size() > 1 ? slab.size() : 0);
  for (std::size_t k = 0; k < slabs.kept.size(); ++k) {
    for (std::size_t c = 0; c < slab.size(); ++c) slab[c] = arguments[0].values[slabs.at(k, c)];
    for (std::size_t c = 0; c < values.size(); ++c) values[c] = arguments[1].values[slabs.at(k, c)];
    const Slots slots = slots_of(slab, settings.topology, settings.labels_given);
    if (count) {
      result.values.push_back(static_cast<double>(slots.labels.size()));
      continue;
    }
    const std::vector<Tally> tallies = tallied(settings, slots, values);
    for (std::size_t slot = 0; slot < static_cast<std::size_t>(settings.max); ++slot)
      result.values.push_back(slot < tallies.size() ? result_of(settings, tallies[slot], slots.labels[slot])
                                                    : nan);
  }
  return result;
}

class RegionStatistic final : public Kernel {
 public:
  explicit RegionStatistic(const Kind& kind) : kind_(kind) {}
  OperatorDoc doc() const override {
    const bool count = kind_.statistic == Statistic::count;
    return {std::string(kind_.name) + (kind_.of_values ? "(condition, a, dims..." : "(condition, dims...") +
                (kind_.statistic == Statistic::centroid ? ", along=\"DIM\"" : "") +
                (count ? "" : ", max=64") + ", periodic=\"x, y\", labels=0)",
            std::string(kind_.description) +
                (count ? ""
                       : " Along a new last dimension \"region\" of length max, NaN after the last region; "
                         "regions beyond max are left out (compare region_count).") +
                " Regions as in regions(); with labels=1 the first argument holds their numbers (from track "
                "or regions), ordered by number. NaN in the condition is outside" +
                (kind_.of_values ? ", NaN in a region's values gives NaN" : "") +
                ". Empty blocks of kept dimensions give empty blocks; a dimension of length 1 is not its own "
                "neighbour.",
            "one visit to each cell and its neighbours; gathers the dimensions of the regions", ""};
  }
  Shape infer(const Call& call) const override {
    expect_arguments(call, kind_.of_values ? 2 : 1, kind_.of_values ? 2 : 1);
    expect_parameters(call, {"max", "periodic", "labels", "along"});
    const Settings settings = settings_of(call);
    if (kind_.of_values) check_values(call);
    Shape shape = without(call, settings.consumed);
    if (kind_.statistic != Statistic::count) add_dim(shape, "region", settings.max);
    shape.units = kind_.of_values ? call.arguments[1].units : dimensionless();
    return shape;
  }
  std::optional<DimCoordinate> coordinate_made(const Call& call, const std::string& dim,
                                               const std::vector<Described>&) const override {
    if (dim != "region" || kind_.statistic == Statistic::count) return std::nullopt;
    const Settings settings = settings_of(call);
    return DimCoordinate{dim, counted(static_cast<std::size_t>(settings.max), 1.0), "1", "",
                         settings.labels_given ? "place of the region among those at the time, by number"
                                               : "number of the region"};
  }
  std::vector<std::string> needs_whole(const Call& call) const override { return split_consumed(call); }
  std::unique_ptr<KernelRun> start(const Call& call) const override {
    return run_of([settings = settings_of(call)](std::span<const ConstArray> arguments) {
      return statistics(settings, arguments);
    });
  }

 private:
  Settings settings_of(const Call& call) const {
    Settings settings{kind_.statistic,      consumed_dims(call),
                      topology_of(call),    whole_number(call, "max", 64),
                      flag(call, "labels"), 0};
    if (settings.max < 1 || settings.max > 1'000'000)
      throw CallProblem(-1, "max", "\"max\" must be from 1 to 1000000");
    if (kind_.statistic == Statistic::centroid) settings.along = along(call, settings.consumed);
    return settings;
  }
  static std::size_t along(const Call& call, const std::vector<bool>& consumed) {
    const std::string name = text(call, "along", call.dims.size() == 1 ? call.dims[0] : "");
    if (name.empty()) throw CallProblem(-1, "along", "needs along=\"DIM\": the dimension of the centroid");
    const std::size_t place = place_of(call, name, "along");
    if (!consumed[place])
      throw CallProblem(-1, "along", "along=\"" + name + "\" is not one of the consumed dimensions");
    return static_cast<std::size_t>(
        std::count(consumed.begin(), consumed.begin() + static_cast<std::ptrdiff_t>(place), true));
  }
  static void check_values(const Call& call) {
    const Dims& condition = call.arguments[0].dims;
    const Dims& values = call.arguments[1].dims;
    bool same = condition.size() == values.size();
    for (std::size_t d = 0; same && d < values.size(); ++d)
      same = condition[d].name == values[d].name && condition[d].extent == values[d].extent;
    if (!same)
      throw CallProblem(1, "", "the values must have the dimensions of the condition, in their order");
  }

  Kind kind_;
};

const std::vector<OperatorEntry> entries = [] {
  std::vector<OperatorEntry> made;
  for (const Kind& kind : kinds) made.emplace_back(kind.name, std::make_shared<RegionStatistic>(kind));
  return made;
}();

}  // namespace
}  // namespace tailrace::analytics::operators::regions
