#include <map>

#include "analytics/operators/support/arguments.hpp"
#include "analytics/operators/support/sum_cells.hpp"
#include "analytics/operators/support/walk.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::operators {
namespace {

// The weight of each level: given, or by the trapezoidal rule from the coordinate.
std::vector<double> weights_of(const Call& call) {
  const std::size_t place = only_dim(call);
  const std::int64_t extent = call.arguments[0].dims[place].extent;
  if (call.parameters.contains("thickness")) {
    std::vector<double> thickness = numbers(call, "thickness");
    if (std::ssize(thickness) != extent)
      throw CallProblem(-1, "thickness",
                        "\"thickness\" must have " + std::to_string(extent) +
                            " numbers, one for each cell of \"" + call.dims[0] + "\", not " +
                            std::to_string(thickness.size()));
    return thickness;
  }
  const std::vector<double> levels = coordinates(call, call.dims[0]);
  std::vector<double> weights(levels.size(), 0.0);
  for (std::size_t i = 1; i < levels.size(); ++i) {
    const double half = (levels[i] - levels[i - 1]) / 2.0;
    weights[i - 1] += half;
    weights[i] += half;
  }
  return weights;
}

class IntegralPartial final : public Partial {
 public:
  IntegralPartial(const Call& call, bool skip_missing)
      : call_(call),
        consumed_(consumed_dims(call)),
        pieces_(without(call, consumed_).dims, {}, [skip_missing](std::size_t cells) {
          return std::make_unique<SumCells>(cells, skip_missing);
        }) {
    if (call.arguments.size() == 1) weights_ = weights_of(call);
  }

  void add(std::span<const ConstArray> arguments) override {
    const ConstArray& block = arguments[0];
    if (block.region->size() == 0) return;
    auto& cells = static_cast<SumCells&>(pieces_.of(kept_of(*block.region, consumed_)));
    const std::span<const double> weights = weights_.empty() ? arguments[1].values : weights_;
    const std::vector<std::vector<std::int64_t>> places = weight_places(arguments);
    const Stretches stretches(block.region->counts(), consumed_);
    const std::vector<std::int64_t> outer = summed(places, 0, stretches.outer.size());
    const std::vector<std::int64_t> inner = summed(places, stretches.outer.size(), places.size());
    std::vector<double> products(inner.size());
    stretches.for_each([&](std::size_t at, std::size_t cell) {
      const std::int64_t base = outer[at / inner.size()];
      for (std::size_t i = 0; i < inner.size(); ++i)
        products[i] = block.values[at + i] * weights[base::index(base + inner[i])];
      stretches.into_one ? cells.add(cell, products) : cells.add_each(cell, products);
    });
  }
  void merge(std::span<const std::byte> bytes) override { pieces_.merge(bytes); }
  std::vector<std::byte> to_bytes() const override { return pieces_.to_bytes(); }
  void clear() override { pieces_.clear(); }
  Array finish() const override { return pieces_.finish(); }

 private:
  // The offset of the weight of each local index, by dimension: in a list by the global index, in an array by
  // its own index if it has the dimension.
  std::vector<std::vector<std::int64_t>> weight_places(std::span<const ConstArray> arguments) const {
    const model::Region& region = *arguments[0].region;
    std::vector<std::vector<std::int64_t>> places;
    for (std::size_t d = 0; d < region.rank(); ++d) {
      places.emplace_back(static_cast<std::size_t>(region.count(d)), 0);
      if (weights_.empty()) continue;
      if (consumed_[d]) places[d] = indices_along(region, d);
    }
    if (weights_.empty()) fill_local(*arguments[1].region, region, places);
    return places;
  }
  void fill_local(const model::Region& weights, const model::Region& block,
                  std::vector<std::vector<std::int64_t>>& places) const {
    std::int64_t step = 1;
    for (std::size_t e = weights.rank(); e-- > 0;) {
      // The weights may have their own dimensions or be broadcast already, and be a block or whole.
      const std::size_t d =
          weights.rank() == block.rank() ? e : place_of(call_, call_.arguments[1].dims[e].name);
      std::map<std::int64_t, std::int64_t> local;
      for (const std::int64_t index : indices_along(weights, e)) local.emplace(index, std::ssize(local));
      const std::vector<std::int64_t> wanted = indices_along(block, d);
      for (std::size_t i = 0; i < wanted.size(); ++i) places[d][i] = local.at(wanted[i]) * step;
      step *= weights.count(e);
    }
  }

  Call call_;
  std::vector<bool> consumed_;
  std::vector<double> weights_;
  KeptPieces pieces_;
};

class VerticalIntegral final : public Reduction {
 public:
  OperatorDoc doc() const override {
    return {
        "vertical_integral(a, [thickness,] DIM, thickness=[...], skip_missing=0)",
        "The sum along a dimension of values times thickness: an array with some of a's dimensions, or a "
        "list; "
        "with neither, the trapezoidal rule over the dimension's coordinate, as numpy.trapezoid (negative "
        "where "
        "the coordinate decreases and a is positive). Rounded once for each product and once for the sum, "
        "independent of the decomposition. NaN gives NaN; skip_missing=1 leaves such levels out. Empty "
        "blocks and ranks without cells contribute nothing; without cells it is 0, for length 1 the value "
        "times its thickness, or 0 by the trapezoidal rule.",
        "local; as sum, plus one product per cell", ""};
  }
  Shape infer(const Call& call) const override {
    expect_arguments(call, 1, 2);
    expect_parameters(call, {"thickness", "skip_missing"});
    flag(call, "skip_missing");
    only_dim(call);
    Shape shape = without(call, consumed_dims(call));
    shape.units = std::nullopt;
    if (call.arguments.size() == 1) {
      weights_of(call);
      return shape;
    }
    if (call.parameters.contains("thickness"))
      throw CallProblem(-1, "thickness", "the thickness is given twice: as an argument and as a list");
    for (const Dim& dim : call.arguments[1].dims)
      if (call.arguments[0].dims[place_of(call, dim.name)].extent != dim.extent)
        throw CallProblem(1, "",
                          "dimension \"" + dim.name + "\" has a different length in the first argument");
    shape.units = product_units(call.arguments[0].units, call.arguments[1].units);
    return shape;
  }
  std::vector<std::string> coordinates_wanted(const Call& call) const override {
    if (call.arguments.size() != 1 || call.parameters.contains("thickness")) return {};
    return call.dims;
  }
  bool can_skip_missing() const override { return true; }
  bool is_zero_of_nothing(const Call&) const override { return true; }
  std::unique_ptr<Partial> start(const Call& call) const override {
    return std::make_unique<IntegralPartial>(call, flag(call, "skip_missing"));
  }
};

const OperatorEntry vertical_integral("vertical_integral", std::make_shared<VerticalIntegral>());

}  // namespace
}  // namespace tailrace::analytics::operators
