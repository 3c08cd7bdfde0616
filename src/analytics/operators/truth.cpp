// any and all.
#include <algorithm>
#include <limits>

#include "analytics/operators/support/simple_reduction.hpp"

namespace tailrace::analytics::operators {
namespace {

enum Seen : std::uint8_t { none = 0, a_true = 1, a_false = 2 };

// NaN is true, as in NumPy, unless it is excluded.
std::uint8_t seen_in(double value, bool skip_missing) {
  if (skip_missing && value != value) return none;
  return value != 0.0 ? a_true : a_false;
}

class TruthCells final : public ValueCells {
 public:
  TruthCells(std::size_t cells, bool all, bool skip_missing)
      : seen_(cells, none), all_(all), skip_missing_(skip_missing) {}

  void add(std::size_t cell, std::span<const double> values) override {
    for (const double value : values) seen_[cell] |= seen_in(value, skip_missing_);
  }
  void add_each(std::size_t first, std::span<const double> values) override {
    for (std::size_t i = 0; i < values.size(); ++i) seen_[first + i] |= seen_in(values[i], skip_missing_);
  }
  void merge(const Cells& other, std::size_t from, std::size_t first, std::size_t count) override {
    const auto& others = static_cast<const TruthCells&>(other).seen_;
    for (std::size_t i = 0; i < count; ++i) seen_[first + i] |= others[from + i];
  }
  void merge(base::ByteReader bytes) override {
    for (std::uint8_t& seen : seen_) seen |= bytes.get<std::uint8_t>();
  }
  void write(base::ByteWriter& bytes) const override {
    bytes.put_bytes(std::as_bytes(std::span<const std::uint8_t>(seen_)));
  }
  void clear() override { std::ranges::fill(seen_, none); }
  void results(std::span<double> values) const override {
    std::transform(seen_.begin(), seen_.begin() + std::ssize(values), values.begin(),
                   [this](std::uint8_t seen) {
                     if (seen == none) return std::numeric_limits<double>::quiet_NaN();
                     return (all_ ? (seen & a_false) == 0 : (seen & a_true) != 0) ? 1.0 : 0.0;
                   });
  }

 private:
  std::vector<std::uint8_t> seen_;
  bool all_;
  bool skip_missing_;
};

class Truth final : public SimpleReduction {
 public:
  explicit Truth(bool all) : all_(all) {}
  OperatorDoc doc() const override {
    const std::string name = all_ ? "all" : "any";
    return {name + "(a, dims..., skip_missing=0)",
            "1 where " + std::string(all_ ? "every" : "some") +
                " cell over the named dimensions, or all, is not zero, else 0; as numpy." + name +
                ", so NaN counts as true, unless skip_missing=1 leaves it out. Empty blocks and ranks "
                "without cells contribute nothing; without cells it is NaN, for length 1 it is 1 if the "
                "value is not zero.",
            "local; one pass over the cells; 1 byte per kept cell in the message", ""};
  }

 protected:
  std::unique_ptr<Cells> make_cells(std::size_t cells, bool skip_missing) const override {
    return std::make_unique<TruthCells>(cells, all_, skip_missing);
  }
  std::optional<std::string> units(const std::optional<std::string>&) const override {
    return dimensionless();
  }

 private:
  bool all_;
};

const OperatorEntry any("any", std::make_shared<Truth>(false));
const OperatorEntry all("all", std::make_shared<Truth>(true));

}  // namespace
}  // namespace tailrace::analytics::operators
