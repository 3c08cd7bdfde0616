#include "points/nearest_reduction.hpp"

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
using analytics::ConstArray;
using analytics::Dim;
using analytics::Dims;
using analytics::OperatorDoc;
using analytics::Partial;
using analytics::Reduction;
using analytics::Shape;
namespace operators = analytics::operators;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double squared_distance(const Position& a, const Position& b) {
  const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return x * x + y * y + z * z;
}

// The nearest cell so far, and its values.
struct Best {
  struct Found {
    std::uint64_t slot;  // index over shares of the levels and kept cells
    double value;
  };
  double distance = std::numeric_limits<double>::infinity();
  std::int64_t cell = -1;
  std::vector<Found> found;

  bool is_before(const Best& other) const {
    return distance < other.distance || (distance == other.distance && cell < other.cell);
  }
  void merge(Best&& other) {
    if (other.cell < 0) return;
    if (cell < 0 || other.is_before(*this))
      *this = std::move(other);
    else if (other.cell == cell)
      found.insert(found.end(), other.found.begin(), other.found.end());
  }
};

// The positions of the cells of a block, in the block and in the whole array.
struct Block {
  std::vector<std::int64_t> plane, plane_global;  // offsets in the block; numbers in C order over the plane
  std::vector<std::int64_t> kept, kept_global;
  std::int64_t level_step = 0;
  std::vector<std::int64_t> levels;  // global indices
};

class NearestPartial final : public Partial {
 public:
  NearestPartial(std::shared_ptr<const NearestPoints> points, const Call& call)
      : points_(std::move(points)), dims_(call.arguments.at(0).dims), best_(base::index(points_->count)) {
    for (const Dim& dim : dims_)
      if (!in_plane(dim.name) && dim.name != points_->level) kept_.push_back(dim.extent);
    for (const std::int64_t extent : kept_) cells_ *= base::index(extent);
  }

  void begin_step(double seconds) override {
    if (begun_ && seconds == seconds_) return;
    seconds_ = seconds;
    begun_ = true;
    places_ = points_->places_at(seconds);
  }

  void add(std::span<const ConstArray> arguments) override {
    const ConstArray& field = arguments[0];
    if (field.region->size() == 0) return;
    const Block block = block_of(*field.region);
    const std::vector<Position>& positions = positions_of(arguments[1], arguments[2]);
    TAILRACE_ASSERT(positions.size() == block.plane.size(),
                    "the coordinates have other cells than the field");
    for (std::size_t p = 0; p < places_.size(); ++p)
      if (places_[p]) best_[p].merge(look(*places_[p], positions, block, field.values));
  }

  void merge(std::span<const std::byte> bytes) override {
    base::ByteReader reader(bytes);
    for (Best& best : best_) {
      Best theirs;
      theirs.distance = reader.get<double>();
      theirs.cell = reader.get<std::int64_t>();
      theirs.found = reader.get_all<Best::Found>();
      best.merge(std::move(theirs));
    }
  }
  std::vector<std::byte> to_bytes() const override {
    base::ByteWriter writer;
    for (const Best& best : best_) {
      writer.put(best.distance);
      writer.put(best.cell);
      writer.put_all(std::span<const Best::Found>(best.found));
    }
    return writer.take();
  }
  void clear() override { best_.assign(best_.size(), {}); }

  Array finish() const override {
    std::vector<model::Runs> runs{{{0, points_->count}}};
    for (const std::int64_t extent : kept_) runs.push_back({{0, extent}});
    Array result{model::Region(std::move(runs)), {}};
    for (std::size_t p = 0; p < best_.size(); ++p) {
      const Shares shares = places_.empty() || !places_[p] ? Shares{} : shares_of(*places_[p]);
      std::vector<double> values(shares.size() * cells_, nan);
      for (const Best::Found& found : best_[p].found) values.at(found.slot) = found.value;
      for (std::size_t k = 0; k < cells_; ++k) {
        double sum = shares.empty() ? nan : shares[0].weight * values[k];
        for (std::size_t s = 1; s < shares.size(); ++s) sum += shares[s].weight * values[s * cells_ + k];
        result.values.push_back(sum);
      }
    }
    return result;
  }

 private:
  bool in_plane(const std::string& dim) const {
    return std::ranges::any_of(points_->plane, [&](const Dim& one) { return one.name == dim; });
  }

  Shares shares_of(const Place& place) const {
    return points_->level.empty() ? Shares{{0, 1.0}} : place.levels;
  }

  Block block_of(const model::Region& region) const {
    const std::size_t rank = region.rank();
    std::vector<std::int64_t> steps(rank, 1);
    for (std::size_t d = rank; d-- > 1;) steps[d - 1] = steps[d] * region.count(d);
    const std::vector<std::vector<std::int64_t>> none(rank, {0});
    auto plane = none, plane_global = none, kept = none, kept_global = none;
    Block block;
    std::int64_t plane_step = 1, kept_step = 1;
    for (std::size_t d = rank; d-- > 0;) {
      std::vector<std::int64_t> local, global = operators::indices_along(region, d);
      for (std::int64_t i = 0; i < region.count(d); ++i) local.push_back(i * steps[d]);
      if (dims_[d].name == points_->level) {
        block.level_step = steps[d];
        block.levels = std::move(global);
        continue;
      }
      const bool is_plane = in_plane(dims_[d].name);
      std::int64_t& step = is_plane ? plane_step : kept_step;
      for (std::int64_t& index : global) index *= step;
      step *= dims_[d].extent;
      (is_plane ? plane : kept)[d] = std::move(local);
      (is_plane ? plane_global : kept_global)[d] = std::move(global);
    }
    block.plane = operators::summed(plane, 0, rank);
    block.plane_global = operators::summed(plane_global, 0, rank);
    block.kept = operators::summed(kept, 0, rank);
    block.kept_global = operators::summed(kept_global, 0, rank);
    return block;
  }

  // Coordinates are the same at each step, so those of a block are converted to positions once.
  const std::vector<Position>& positions_of(const ConstArray& first, const ConstArray& second) {
    for (const auto& [region, positions] : known_)
      if (region == *first.region) return positions;
    std::vector<Position> positions;
    for (std::size_t i = 0; i < first.values.size(); ++i)
      positions.push_back(points_->position(first.values[i], second.values[i]));
    return known_.emplace_back(*first.region, std::move(positions)).second;
  }

  Best look(const Place& place, const std::vector<Position>& positions, const Block& block,
            std::span<const double> values) const {
    Best best;
    std::size_t nearest = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const double distance = squared_distance(positions[i], place.at);
      const std::int64_t cell = block.plane_global[i];
      // Without a number, as in holes of the grid, a cell is nowhere.
      if (!(distance <= best.distance) || (distance == best.distance && best.cell >= 0 && cell > best.cell))
        continue;
      best.distance = distance;
      best.cell = cell;
      nearest = i;
    }
    if (best.cell < 0) return best;
    const Shares shares = shares_of(place);
    for (std::size_t s = 0; s < shares.size(); ++s) {
      std::int64_t offset = block.plane[nearest];
      if (!points_->level.empty()) {
        const auto level = std::ranges::find(block.levels, shares[s].cell);
        if (level == block.levels.end()) continue;
        offset += (level - block.levels.begin()) * block.level_step;
      }
      for (std::size_t k = 0; k < block.kept.size(); ++k)
        best.found.push_back(
            {s * cells_ + base::index(block.kept_global[k]), values[base::index(offset + block.kept[k])]});
    }
    return best;
  }

  std::shared_ptr<const NearestPoints> points_;
  Dims dims_;
  std::vector<std::int64_t> kept_;  // extents
  std::size_t cells_ = 1;
  std::vector<std::optional<Place>> places_;
  double seconds_ = 0.0;
  bool begun_ = false;
  std::vector<Best> best_;  // by point
  std::vector<std::pair<model::Region, std::vector<Position>>> known_;
};

class NearestReduction final : public Reduction {
 public:
  explicit NearestReduction(NearestPoints points)
      : points_(std::make_shared<const NearestPoints>(std::move(points))) {}

  OperatorDoc doc() const override {
    return {"", "Values of the cells nearest to moving points; missing if a point has no position.",
            "local; 3 multiplications a cell and point", ""};
  }
  std::optional<std::size_t> only_arrays() const override { return 3; }
  Shape infer(const Call& call) const override {
    Shape shape = operators::without(call, operators::consumed_dims(call));
    put_first(shape, points_->dim, points_->count);
    return shape;
  }
  std::unique_ptr<Partial> start(const Call& call) const override {
    return std::make_unique<NearestPartial>(points_, call);
  }

 private:
  std::shared_ptr<const NearestPoints> points_;
};

}  // namespace

std::shared_ptr<const analytics::Reduction> make_reduction(NearestPoints points) {
  return std::make_shared<NearestReduction>(std::move(points));
}

}  // namespace tailrace::points
