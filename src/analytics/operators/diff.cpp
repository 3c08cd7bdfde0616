#include "analytics/operators/support/arguments.hpp"
#include "analytics/operators/support/coordinates.hpp"
#include "analytics/operators/support/gather.hpp"

namespace tailrace::analytics::operators {
namespace {

Array differences(std::size_t place, const ConstArray& a) {
  const Lines lines(*a.region, place);
  Array result{replaced(*a.region, place, a.region->count(place) - 1), {}};
  for (std::size_t o = 0; o < lines.outer; ++o)
    for (std::size_t i = 1; i < lines.length; ++i)
      for (std::size_t n = 0; n < lines.inner; ++n)
        result.values.push_back(a.values[lines.at(o, i, n)] - a.values[lines.at(o, i - 1, n)]);
  return result;
}

class Difference final : public Kernel {
 public:
  OperatorDoc doc() const override {
    return {"diff(a, DIM)",
            "Each cell minus the previous one along a dimension, as numpy.diff; a dimension of n cells "
            "becomes DIM_(n-1). NaN gives NaN in both differences. Empty blocks give empty blocks; length 1 "
            "is an error, because nothing would be left.",
            "one subtraction per cell; gathers the dimension", ""};
  }
  Shape infer(const Call& call) const override {
    expect_arguments(call, 1, 1);
    expect_parameters(call, {});
    Shape shape = call.arguments[0];
    Dim& dim = shape.dims[only_dim(call)];
    if (dim.extent < 2)
      throw CallProblem(
          -1, dim.name,
          "needs at least 2 cells along \"" + dim.name + "\", which has " + std::to_string(dim.extent));
    dim = shortened(dim, dim.extent - 1);
    shape.units = difference_units(shape.units);
    return shape;
  }
  std::optional<DimCoordinate> coordinate_made(const Call& call, const std::string& dim,
                                               const std::vector<Described>& arguments) const override {
    const std::int64_t extent = call.arguments[0].dims[only_dim(call)].extent;
    const DimCoordinate* coordinate = coordinate_along(call, arguments, call.dims[0]);
    if (coordinate == nullptr || dim != shortened(call.arguments[0].dims[only_dim(call)], extent - 1).name)
      return std::nullopt;
    DimCoordinate middles = described_as(*coordinate, dim);
    for (std::size_t i = 1; i < coordinate->values.size(); ++i)
      middles.values.push_back((coordinate->values[i - 1] + coordinate->values[i]) / 2.0);
    return middles;
  }
  std::vector<std::string> needs_whole(const Call& call) const override { return split_consumed(call); }
  std::unique_ptr<KernelRun> start(const Call& call) const override {
    return run_of([place = only_dim(call)](std::span<const ConstArray> arguments) {
      return differences(place, arguments[0]);
    });
  }
};

const OperatorEntry diff("diff", std::make_shared<Difference>());

}  // namespace
}  // namespace tailrace::analytics::operators
