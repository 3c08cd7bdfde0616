#include "analytics/operators/support/arguments.hpp"
#include "analytics/operators/support/gather.hpp"

namespace tailrace::analytics::operators {
namespace {

Array cumulated(std::size_t place, bool skip_missing, const ConstArray& a) {
  Array result{*a.region, {a.values.begin(), a.values.end()}};
  const Lines lines(*a.region, place);
  for (double& value : result.values)
    if (skip_missing && value != value) value = 0.0;
  for (std::size_t o = 0; o < lines.outer; ++o)
    for (std::size_t i = 1; i < lines.length; ++i)
      for (std::size_t n = 0; n < lines.inner; ++n)
        result.values[lines.at(o, i, n)] += result.values[lines.at(o, i - 1, n)];
  return result;
}

class CumulativeSum final : public Kernel {
 public:
  OperatorDoc doc() const override {
    return {"cumsum(a, DIM, skip_missing=0)",
            "The cumulative sum along a dimension, added in order, as numpy.cumsum. From the first NaN on it "
            "is NaN; skip_missing=1 adds nothing for NaN (numpy.nancumsum). Empty blocks give empty blocks; "
            "length 1 is unchanged.",
            "one addition per cell; gathers the dimension", ""};
  }
  Shape infer(const Call& call) const override {
    expect_arguments(call, 1, 1);
    expect_parameters(call, {"skip_missing"});
    flag(call, "skip_missing");
    Shape shape = call.arguments[0];
    shape.dims[only_dim(call)].split = false;  // it was gathered
    return shape;
  }
  std::vector<std::string> needs_whole(const Call& call) const override { return split_consumed(call); }
  std::unique_ptr<KernelRun> start(const Call& call) const override {
    return run_of(
        [place = only_dim(call), skip = flag(call, "skip_missing")](std::span<const ConstArray> arguments) {
          return cumulated(place, skip, arguments[0]);
        });
  }
};

const OperatorEntry cumsum("cumsum", std::make_shared<CumulativeSum>());

}  // namespace
}  // namespace tailrace::analytics::operators
