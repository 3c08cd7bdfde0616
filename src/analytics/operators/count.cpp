#include <algorithm>

#include "analytics/operators/support/simple_reduction.hpp"

namespace tailrace::analytics::operators {
namespace {

class Counts final : public ValueCells {
 public:
  explicit Counts(std::size_t cells) : counts_(cells, 0) {}

  void add(std::size_t cell, std::span<const double> values) override {
    std::uint64_t present = 0;
    for (const double value : values) present += value == value;
    counts_[cell] += present;
  }
  void add_each(std::size_t first, std::span<const double> values) override {
    for (std::size_t i = 0; i < values.size(); ++i) counts_[first + i] += values[i] == values[i];
  }
  void merge(const Cells& other, std::size_t from, std::size_t first, std::size_t count) override {
    const auto& others = static_cast<const Counts&>(other).counts_;
    for (std::size_t i = 0; i < count; ++i) counts_[first + i] += others[from + i];
  }
  void merge(base::ByteReader bytes) override {
    for (std::uint64_t& count : counts_) count += bytes.get<std::uint64_t>();
  }
  void write(base::ByteWriter& bytes) const override {
    bytes.put_bytes(std::as_bytes(std::span<const std::uint64_t>(counts_)));
  }
  void clear() override { std::ranges::fill(counts_, 0); }
  void results(std::span<double> values) const override {
    std::ranges::transform(counts_, values.begin(), [](std::uint64_t count) { return double(count); });
  }

 private:
  std::vector<std::uint64_t> counts_;
};

class Count final : public SimpleReduction {
 public:
  OperatorDoc doc() const override {
    return {
        "count(a, dims..., skip_missing=1)",
        "The number of cells over the named dimensions, or all, that are not NaN, as "
        "numpy.count_nonzero(~numpy.isnan(a)). skip_missing makes no difference. Empty blocks and ranks "
        "without cells contribute nothing; without cells the count is 0, for length 1 it is 1, or 0 for NaN.",
        "local; one pass over the cells; 8 bytes per kept cell in the message", ""};
  }
  bool counts() const override { return true; }

 protected:
  std::unique_ptr<Cells> make_cells(std::size_t cells, bool) const override {
    return std::make_unique<Counts>(cells);
  }
  std::optional<std::string> units(const std::optional<std::string>&) const override {
    return dimensionless();
  }
};

const OperatorEntry count("count", std::make_shared<Count>());

}  // namespace
}  // namespace tailrace::analytics::operators
