#include "points/reduction.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include "analytics/operators/support/arguments.hpp"
#include "analytics/operators/support/walk.hpp"
#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::points {
namespace {

using analytics::Array;
using analytics::Call;
using analytics::CallProblem;
using analytics::ConstArray;
using analytics::Dim;
using analytics::Dims;
using analytics::OperatorDoc;
using analytics::Partial;
using analytics::Reduction;
using analytics::Shape;
namespace operators = analytics::operators;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The points and their cells, with the indices of the cells along each dim of the plane.
struct Wanted {
  explicit Wanted(Points given) : points(std::move(given)), along(points.plane.size()) {
    for (const Shares& shares : points.cells)
      for (const Share& share : shares) {
        std::int64_t rest = share.cell;
        for (std::size_t d = along.size(); d-- > 0; rest /= points.plane[d].extent)
          along[d].push_back(rest % points.plane[d].extent);
        ++shares_in_all;
      }
    for (const auto& indices : along) {
      std::vector<std::int64_t>& distinct = sorted.emplace_back(indices);
      std::ranges::sort(distinct);
      distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    }
  }

  Points points;
  std::size_t shares_in_all = 0;
  std::vector<std::vector<std::int64_t>> along;   // by dim of the plane: the index of each share
  std::vector<std::vector<std::int64_t>> sorted;  // the same, each index once
};

// The positions of the wanted indices in the local array; -1 if absent.
std::vector<std::int64_t> places_in(const model::Runs& runs, const std::vector<std::int64_t>& wanted) {
  std::vector<std::int64_t> places(wanted.size(), -1);
  std::int64_t before = 0;
  for (const model::Run& run : runs) {
    auto index = std::lower_bound(wanted.begin(), wanted.end(), run.start);
    for (; index != wanted.end() && *index < run.start + run.count; ++index)
      places[base::index(index - wanted.begin())] = before + *index - run.start;
    before += run.count;
  }
  return places;
}

class PointsPartial final : public Partial {
 public:
  // `moving`: the source of the cells of each step; null for fixed points.
  PointsPartial(std::shared_ptr<const Wanted> wanted, std::shared_ptr<const MovingPoints> moving,
                const Call& call)
      : wanted_(std::move(wanted)), moving_(std::move(moving)), consumed_(operators::consumed_dims(call)) {
    const Dims& dims = call.arguments.at(0).dims;
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (!consumed_[d]) kept_.push_back(dims[d].extent);
    for (const std::int64_t extent : kept_) cells_ *= base::index(extent);
  }

  void begin_step(double seconds) override {
    if (!moving_ || (wanted_ && seconds == seconds_)) return;
    seconds_ = seconds;
    wanted_ =
        std::make_shared<const Wanted>(Points{moving_->dim, moving_->plane, moving_->cells_at(seconds)});
  }

  void add(std::span<const ConstArray> arguments) override {
    const ConstArray& block = arguments[0];
    if (block.region->size() == 0) return;
    const std::vector<std::int64_t> offsets = offsets_of_shares(*block.region);
    const auto [local, kept] = kept_cells(*block.region);
    for (std::size_t share = 0; share < offsets.size(); ++share) {
      if (offsets[share] < 0) continue;
      for (std::size_t k = 0; k < kept.size(); ++k)
        found_.push_back(
            {share * cells_ + base::index(kept[k]), block.values[base::index(offsets[share] + local[k])]});
    }
  }

  void merge(std::span<const std::byte> bytes) override {
    base::ByteReader reader(bytes);
    const auto theirs = reader.get_all<Found>();
    found_.insert(found_.end(), theirs.begin(), theirs.end());
  }
  std::vector<std::byte> to_bytes() const override {
    base::ByteWriter writer;
    writer.put_all(std::span<const Found>(found_));
    return writer.take();
  }
  void clear() override { found_.clear(); }

  Array finish() const override {
    std::vector<double> values(wanted_->shares_in_all * cells_, nan);
    for (const Found& found : found_) values.at(found.slot) = found.value;
    const std::vector<Shares>& points = wanted_->points.cells;
    std::vector<model::Runs> runs{{{0, std::ssize(points)}}};
    for (const std::int64_t extent : kept_) runs.push_back({{0, extent}});
    Array result{model::Region(std::move(runs)), {}};
    auto from = values.begin();
    for (const Shares& shares : points) {
      for (std::size_t k = 0; k < cells_; ++k) {
        if (shares.empty()) {
          result.values.push_back(nan);
          continue;
        }
        double sum = shares[0].weight * from[static_cast<std::ptrdiff_t>(k)];
        for (std::size_t s = 1; s < shares.size(); ++s)
          sum += shares[s].weight * from[static_cast<std::ptrdiff_t>(s * cells_ + k)];
        result.values.push_back(sum);
      }
      from += static_cast<std::ptrdiff_t>(shares.size() * cells_);
    }
    return result;
  }

 private:
  std::vector<std::int64_t> steps_in(const model::Region& region) const {
    std::vector<std::int64_t> steps(region.rank(), 1);
    for (std::size_t d = region.rank(); d-- > 1;) steps[d - 1] = steps[d] * region.count(d);
    return steps;
  }

  // The offset of each share's first cell in the local array; -1 if absent.
  std::vector<std::int64_t> offsets_of_shares(const model::Region& region) const {
    const std::vector<std::int64_t> steps = steps_in(region);
    std::vector<std::int64_t> offsets(wanted_->shares_in_all, 0);
    std::size_t p = 0;
    for (std::size_t d = 0; d < region.rank(); ++d) {
      if (!consumed_[d]) continue;
      const std::vector<std::int64_t>& sorted = wanted_->sorted[p];
      const std::vector<std::int64_t> places = places_in(region.runs(d), sorted);
      for (std::size_t share = 0; share < offsets.size(); ++share) {
        const auto found = std::lower_bound(sorted.begin(), sorted.end(), wanted_->along[p][share]);
        const std::int64_t place = places[base::index(found - sorted.begin())];
        offsets[share] = place < 0 || offsets[share] < 0 ? -1 : offsets[share] + place * steps[d];
      }
      ++p;
    }
    return offsets;
  }

  // For the kept dims: the offset of each cell from the first, and its global index.
  std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> kept_cells(
      const model::Region& region) const {
    const std::vector<std::int64_t> steps = steps_in(region);
    std::vector<std::vector<std::int64_t>> local(region.rank(), {0}), global(region.rank(), {0});
    std::int64_t step = 1;
    std::size_t k = kept_.size();
    for (std::size_t d = region.rank(); d-- > 0;) {
      if (consumed_[d]) continue;
      global[d] = operators::indices_along(region, d);
      for (std::int64_t& index : global[d]) index *= step;
      step *= kept_[--k];
      local[d].clear();
      for (std::int64_t i = 0; i < region.count(d); ++i) local[d].push_back(i * steps[d]);
    }
    return {operators::summed(local, 0, region.rank()), operators::summed(global, 0, region.rank())};
  }

  // A cell of the argument, by its share and its kept cell. It is on one rank only, so each is added once.
  struct Found {
    std::uint64_t slot;
    double value;
  };

  std::shared_ptr<const Wanted> wanted_;
  std::shared_ptr<const MovingPoints> moving_;
  double seconds_ = 0.0;
  std::vector<bool> consumed_;
  std::vector<std::int64_t> kept_;  // extents
  std::size_t cells_ = 1;
  std::vector<Found> found_;
};

class PointsReduction final : public Reduction {
 public:
  explicit PointsReduction(Points points)
      : dim_(points.dim), count_(std::ssize(points.cells)), plane_(points.plane) {
    wanted_ = std::make_shared<const Wanted>(std::move(points));
  }
  explicit PointsReduction(MovingPoints points)
      : dim_(points.dim), count_(points.count), plane_(points.plane) {
    moving_ = std::make_shared<const MovingPoints>(std::move(points));
  }

  OperatorDoc doc() const override {
    return {"", "Values at points, each the weighted sum of some cells; missing if one of these is.",
            "local; 16 bytes a cell in the message", ""};
  }
  Shape infer(const Call& call) const override {
    const std::vector<bool> consumed = operators::consumed_dims(call);
    Shape shape = operators::without(call, consumed);
    TAILRACE_ASSERT(call.dims.size() == plane_.size(), "the dims of the call are not those of the plane");
    for (const Dim& dim : plane_) {
      const auto place = call.arguments[0].find(dim.name);
      TAILRACE_ASSERT(place && call.arguments[0].dims[*place].extent == dim.extent,
                      "the extents of the argument are not those of the plane");
    }
    put_first(shape, dim_, count_);
    return shape;
  }
  std::unique_ptr<Partial> start(const Call& call) const override {
    return std::make_unique<PointsPartial>(wanted_, moving_, call);
  }

 private:
  std::string dim_;
  std::int64_t count_;
  Dims plane_;
  std::shared_ptr<const Wanted> wanted_;
  std::shared_ptr<const MovingPoints> moving_;
};

}  // namespace

void put_first(analytics::Shape& shape, const std::string& dim, std::int64_t count) {
  if (shape.find(dim)) throw CallProblem(0, "", "the field has a dimension \"" + dim + "\" already");
  shape.dims.insert(shape.dims.begin(), {.name = dim, .extent = count, .split = false});
}

std::shared_ptr<const analytics::Reduction> make_reduction(Points points) {
  return std::make_shared<PointsReduction>(std::move(points));
}

std::shared_ptr<const analytics::Reduction> make_reduction(MovingPoints points) {
  return std::make_shared<PointsReduction>(std::move(points));
}

}  // namespace tailrace::points
