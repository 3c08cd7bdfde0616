#include <algorithm>
#include <cmath>
#include <limits>

#include "analytics/operators/support/arguments.hpp"
#include "analytics/operators/support/gather.hpp"

namespace tailrace::analytics::operators {
namespace {

std::vector<double> fractions_of(const Call& call) {
  std::vector<double> fractions = numbers(call, "q");
  if (fractions.empty()) fractions = {0.5};
  for (const double q : fractions)
    if (q < 0.0 || q > 1.0) throw CallProblem(-1, "q", "\"q\" must lie from 0 to 1");
  return fractions;
}

// The method "linear" of numpy.quantile, with the same rounding.
double at_fraction(const std::vector<double>& sorted, double q) {
  const double place = static_cast<double>(sorted.size() - 1) * q;
  const double t = place - std::floor(place);
  const auto below = static_cast<std::size_t>(place);
  const double low = sorted[below];
  if (t == 0.0) return low;
  const double high = sorted[below + 1];
  const double step = high - low;
  return t < 0.5 ? low + step * t : high - step * (1.0 - t);
}

Array quantiles(const std::vector<bool>& consumed, const std::vector<double>& fractions, bool listed,
                bool skip_missing, const ConstArray& a) {
  const Slabs slabs(*a.region, consumed);
  Array result{
      listed ? kept_and(*a.region, consumed, {std::ssize(fractions)}) : kept_and(*a.region, consumed, {}),
      {}};
  std::vector<double> sorted;
  for (std::size_t k = 0; k < slabs.kept.size(); ++k) {
    sorted.clear();
    for (std::size_t c = 0; c < slabs.consumed.size(); ++c)
      if (const double value = a.values[slabs.at(k, c)]; value == value) sorted.push_back(value);
    const bool missing = sorted.size() < slabs.consumed.size() && !skip_missing;
    std::sort(sorted.begin(), sorted.end());
    for (const double q : fractions)
      result.values.push_back(missing || sorted.empty() ? std::numeric_limits<double>::quiet_NaN()
                                                        : at_fraction(sorted, q));
  }
  return result;
}

class Quantile final : public Kernel {
 public:
  OperatorDoc doc() const override {
    return {"quantile(a, dims..., q=0.5 or [...], skip_missing=0)",
            "Quantiles over the named dimensions, or all, as numpy.quantile with method \"linear\"; a list "
            "of q gives a new last dimension \"quantile\". NaN gives NaN; skip_missing=1 leaves it out "
            "(numpy.nanquantile); if all are NaN it is NaN. Empty blocks of kept dimensions give empty "
            "blocks; for length 1 it is the value.",
            "one sort for each kept cell; gathers the dimensions it consumes",
            "Hyndman, Fan (1996), Sample quantiles in statistical packages, Am. Stat. 50, 361, definition 7"};
  }
  Shape infer(const Call& call) const override {
    expect_arguments(call, 1, 1);
    expect_parameters(call, {"q", "skip_missing"});
    flag(call, "skip_missing");
    Shape shape = without(call, consumed_dims(call));
    const std::vector<double> fractions = fractions_of(call);
    if (is_list(call, "q")) add_dim(shape, "quantile", std::ssize(fractions));
    return shape;
  }
  std::optional<DimCoordinate> coordinate_made(const Call& call, const std::string& dim,
                                               const std::vector<Described>&) const override {
    if (dim != "quantile" || !is_list(call, "q")) return std::nullopt;
    return DimCoordinate{dim, fractions_of(call), "1", "", "quantile"};
  }
  bool can_skip_missing() const override { return true; }
  std::vector<std::string> needs_whole(const Call& call) const override { return split_consumed(call); }
  std::unique_ptr<KernelRun> start(const Call& call) const override {
    return run_of([consumed = consumed_dims(call), fractions = fractions_of(call),
                   listed = is_list(call, "q"),
                   skip = flag(call, "skip_missing")](std::span<const ConstArray> arguments) {
      return quantiles(consumed, fractions, listed, skip, arguments[0]);
    });
  }
};

const OperatorEntry quantile("quantile", std::make_shared<Quantile>());

}  // namespace
}  // namespace tailrace::analytics::operators
