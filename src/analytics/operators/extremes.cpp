// min and max, with canonical results: all NaN have the same bits, and a zero is always +0.0.
#include <algorithm>
#include <cstring>
#include <limits>

#include "analytics/operators/support/simple_reduction.hpp"
#include "analytics/simd/row_kernels.hpp"

namespace tailrace::analytics::operators {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Lowest {
  static constexpr double neutral = infinity;
  static double of(double a, double b) { return a < b ? a : b; }
  static simd::RowExtreme of_row(std::span<const double> values) { return simd::row_min(values); }
  static void of_cells(std::span<double> into, std::span<const double> values) {
    simd::cells_min(into, values);
  }
};
struct Highest {
  static constexpr double neutral = -infinity;
  static double of(double a, double b) { return a > b ? a : b; }
  static simd::RowExtreme of_row(std::span<const double> values) { return simd::row_max(values); }
  static void of_cells(std::span<double> into, std::span<const double> values) {
    simd::cells_max(into, values);
  }
};

// The kinds of values seen for a cell, besides the extreme of those that are not NaN.
enum Seen : std::uint8_t { nothing = 0, value = 1, missing = 2 };

template <class Extreme>
class ExtremeCells final : public ValueCells {
 public:
  ExtremeCells(std::size_t cells, bool skip_missing)
      : extremes_(cells, Extreme::neutral), seen_(cells, nothing), skip_missing_(skip_missing) {}

  void add(std::size_t cell, std::span<const double> values) override {
    const simd::RowExtreme row = Extreme::of_row(values);
    extremes_[cell] = Extreme::of(row.value, extremes_[cell]);
    const auto missed = static_cast<std::size_t>(row.missing);
    if (missed < values.size()) seen_[cell] |= value;
    if (missed > 0) seen_[cell] |= missing;
  }
  void add_each(std::size_t first, std::span<const double> values) override {
    Extreme::of_cells(std::span(extremes_).subspan(first, values.size()), values);
    for (std::size_t i = 0; i < values.size(); ++i)
      seen_[first + i] |= static_cast<std::uint8_t>(values[i] == values[i] ? value : missing);
  }
  void merge(const Cells& other, std::size_t from, std::size_t first, std::size_t count) override {
    const auto& others = static_cast<const ExtremeCells&>(other);
    for (std::size_t i = 0; i < count; ++i)
      merge(first + i, others.extremes_[from + i], others.seen_[from + i]);
  }
  void merge(base::ByteReader bytes) override {
    std::vector<double> extremes(extremes_.size());
    std::memcpy(extremes.data(), bytes.take(extremes.size() * sizeof(double)).data(),
                extremes.size() * sizeof(double));
    const auto seen = bytes.take(seen_.size());
    for (std::size_t cell = 0; cell < extremes.size(); ++cell)
      merge(cell, extremes[cell], static_cast<std::uint8_t>(seen[cell]));
  }
  void write(base::ByteWriter& bytes) const override {
    std::vector<double> extremes = extremes_;
    for (double& extreme : extremes) extreme += 0.0;  // -0 becomes +0: the same bytes for the same values
    bytes.put_bytes(std::as_bytes(std::span<const double>(extremes)));
    bytes.put_bytes(std::as_bytes(std::span<const std::uint8_t>(seen_)));
  }
  void clear() override {
    std::ranges::fill(extremes_, Extreme::neutral);
    std::ranges::fill(seen_, nothing);
  }
  void results(std::span<double> values) const override {
    for (std::size_t cell = 0; cell < values.size(); ++cell) {
      const bool spoilt = (seen_[cell] & missing) != 0 && !skip_missing_;
      values[cell] = spoilt || (seen_[cell] & value) == 0 ? nan : extremes_[cell] + 0.0;
    }
  }

 private:
  void merge(std::size_t cell, double extreme, std::uint8_t seen) {
    extremes_[cell] = Extreme::of(extreme, extremes_[cell]);
    seen_[cell] |= seen;
  }

  std::vector<double> extremes_;
  std::vector<std::uint8_t> seen_;
  bool skip_missing_;
};

template <class Extreme>
class ExtremeReduction final : public SimpleReduction {
 public:
  explicit ExtremeReduction(std::string name) : name_(std::move(name)) {}
  OperatorDoc doc() const override {
    return {name_ + "(a, dims..., skip_missing=0)",
            "The " + std::string(name_ == "min" ? "lowest" : "highest") +
                " value over the named dimensions, or all; as numpy." + name_ +
                ". NaN gives NaN; with skip_missing=1 NaN is left out (numpy.nan" + name_ +
                "). A zero is +0. Empty blocks and ranks without cells contribute nothing; without cells, or "
                "where all are left out, it is NaN; for length 1 it is the value.",
            "local; one pass over the cells; 9 bytes per kept cell in the message", ""};
  }

 protected:
  std::unique_ptr<Cells> make_cells(std::size_t cells, bool skip_missing) const override {
    return std::make_unique<ExtremeCells<Extreme>>(cells, skip_missing);
  }

 private:
  std::string name_;
};

const OperatorEntry min("min", std::make_shared<ExtremeReduction<Lowest>>("min"));
const OperatorEntry max("max", std::make_shared<ExtremeReduction<Highest>>("max"));

}  // namespace
}  // namespace tailrace::analytics::operators
