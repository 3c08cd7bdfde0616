#include <algorithm>

#include "analytics/operators/support/arguments.hpp"
#include "analytics/operators/support/kept_pieces.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::operators {
namespace {

class BinCells final : public ValueCells {
 public:
  BinCells(std::size_t cells, std::vector<double> edges)
      : edges_(std::move(edges)), bins_(edges_.size() - 1), counts_(cells * bins_, 0) {}

  void add(std::size_t cell, std::span<const double> values) override {
    for (const double value : values) put(cell, value);
  }
  void add_each(std::size_t first, std::span<const double> values) override {
    for (std::size_t i = 0; i < values.size(); ++i) put(first + i, values[i]);
  }
  void merge(const Cells& other, std::size_t from, std::size_t first, std::size_t count) override {
    const auto& others = static_cast<const BinCells&>(other).counts_;
    for (std::size_t i = 0; i < count * bins_; ++i) counts_[first * bins_ + i] += others[from * bins_ + i];
  }
  void merge(base::ByteReader bytes) override {
    for (std::uint64_t& count : counts_) count += bytes.get<std::uint64_t>();
  }
  void write(base::ByteWriter& bytes) const override {
    bytes.put_bytes(std::as_bytes(std::span<const std::uint64_t>(counts_)));
  }
  void clear() override { std::ranges::fill(counts_, 0); }
  void results(std::span<double> values) const override {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(counts_[i]);
  }
  std::size_t width() const override { return bins_; }

 private:
  void put(std::size_t cell, double value) {
    if (!(value >= edges_.front() && value <= edges_.back())) return;  // NaN too
    const auto above = std::upper_bound(edges_.begin(), edges_.end() - 1, value);
    ++counts_[cell * bins_ + base::index(above - edges_.begin()) - 1];
  }

  std::vector<double> edges_;
  std::size_t bins_;
  std::vector<std::uint64_t> counts_;
};

// The values of numpy.linspace.
std::vector<double> even_edges(const Call& call) {
  const std::int64_t bins = whole_number(call, "bins", 0);
  const double low = required_number(call, "low");
  const double high = required_number(call, "high");
  if (bins < 1 || bins > 1'000'000)
    throw CallProblem(-1, "bins", "\"bins\" must be from 1 to 1000000, not " + std::to_string(bins));
  if (!(low < high)) throw CallProblem(-1, "low", "\"low\" must be less than \"high\"");
  const double step = (high - low) / static_cast<double>(bins);
  std::vector<double> edges;
  for (std::int64_t i = 0; i < bins; ++i) edges.push_back(static_cast<double>(i) * step + low);
  edges.push_back(high);
  return edges;
}

std::vector<double> edges_of(const Call& call) {
  if (call.parameters.contains("edges") == call.parameters.contains("bins"))
    throw CallProblem(-1, "", "needs either edges=[...] or bins=N with low= and high=");
  if (call.parameters.contains("bins")) return even_edges(call);
  const std::vector<double> edges = numbers(call, "edges");
  if (edges.size() < 2 || !std::is_sorted(edges.begin(), edges.end()))
    throw CallProblem(-1, "edges", "\"edges\" must be at least 2 numbers that do not decrease");
  return edges;
}

class Histogram final : public Reduction {
 public:
  OperatorDoc doc() const override {
    return {"histogram(a, dims..., edges=[...] or bins=N, low=, high=, dim=\"bin\")",
            "The number of cells over the named dimensions, or all, in each bin, along a new last dimension, "
            "as numpy.histogram. A bin includes its lower edge, the last one also its upper edge; bins of "
            "equal width have the edges of numpy.linspace. NaN and values outside the bins are not counted. "
            "Empty blocks and ranks without cells contribute nothing; without cells all counts are 0, for "
            "length 1 at most one count is 1.",
            "local; one binary search per cell; 8 bytes per bin and kept cell in the message", ""};
  }
  Shape infer(const Call& call) const override {
    expect_arguments(call, 1, 1);
    expect_parameters(call, {"edges", "bins", "low", "high", "dim"});
    Shape shape = without(call, consumed_dims(call));
    add_dim(shape, bin_dim(call), std::ssize(edges_of(call)) - 1);
    shape.units = dimensionless();
    return shape;
  }
  std::optional<DimCoordinate> coordinate_made(const Call& call, const std::string& dim,
                                               const std::vector<Described>&) const override {
    if (dim != bin_dim(call)) return std::nullopt;
    const std::vector<double> edges = edges_of(call);
    DimCoordinate coordinate{dim, {}, call.arguments[0].units.value_or(""), "", "centre of the bin"};
    for (std::size_t i = 1; i < edges.size(); ++i) {
      coordinate.values.push_back((edges[i - 1] + edges[i]) / 2.0);
      coordinate.bounds.insert(coordinate.bounds.end(), {edges[i - 1], edges[i]});
    }
    return coordinate;
  }
  bool fusible() const override { return true; }
  bool counts() const override { return true; }
  std::unique_ptr<Partial> start(const Call& call) const override {
    const std::vector<double> edges = edges_of(call);
    return kept_partial(call, [edges](std::size_t cells) { return std::make_unique<BinCells>(cells, edges); },
                        {{.name = bin_dim(call), .extent = std::ssize(edges) - 1, .split = false}});
  }

 private:
  static std::string bin_dim(const Call& call) { return text(call, "dim", "bin"); }
};

const OperatorEntry histogram("histogram", std::make_shared<Histogram>());

}  // namespace
}  // namespace tailrace::analytics::operators
