#include "analytics/operators/regions/components.hpp"
#include "analytics/operators/support/arguments.hpp"
#include "analytics/operators/support/gather.hpp"

namespace tailrace::analytics::operators::regions {
namespace {

Array labelled(const std::vector<bool>& consumed, const Topology& topology, const ConstArray& condition) {
  const Slabs slabs(*condition.region, consumed);
  Array result{*condition.region, std::vector<double>(condition.values.size())};
  std::vector<double> slab(slabs.consumed.size());
  for (std::size_t k = 0; k < slabs.kept.size(); ++k) {
    for (std::size_t c = 0; c < slab.size(); ++c) slab[c] = condition.values[slabs.at(k, c)];
    const Components found = components_of(slab, topology);
    for (std::size_t c = 0; c < slab.size(); ++c)
      result.values[slabs.at(k, c)] = static_cast<double>(found.labels[c]);
  }
  return result;
}

class Regions final : public Kernel {
 public:
  OperatorDoc doc() const override {
    return {"regions(condition, dims..., periodic=\"x, y\")",
            "The number of the connected region of each cell, from 1 in C order of the regions' first cells, "
            "0 where the condition is 0, as scipy.ndimage.label with its default structure (cells that share "
            "a face). Regions extend over the named dimensions, or all; each index of the others is "
            "separate. They continue across the ends of periodic dimensions. Unlike in SciPy, NaN is "
            "outside. Empty blocks give empty blocks; a dimension of length 1 is not its own neighbour.",
            "one visit to each cell and its neighbours; gathers the dimensions of the regions", ""};
  }
  Shape infer(const Call& call) const override {
    expect_arguments(call, 1, 1);
    expect_parameters(call, {"periodic"});
    topology_of(call);
    Shape shape = call.arguments[0];
    const std::vector<bool> consumed = consumed_dims(call);
    for (std::size_t d = 0; d < consumed.size(); ++d)
      if (consumed[d]) shape.dims[d].split = false;  // it was gathered
    shape.units = dimensionless();
    return shape;
  }
  std::vector<std::string> needs_whole(const Call& call) const override { return split_consumed(call); }
  std::unique_ptr<KernelRun> start(const Call& call) const override {
    return run_of([consumed = consumed_dims(call),
                   topology = topology_of(call)](std::span<const ConstArray> arguments) {
      return labelled(consumed, topology, arguments[0]);
    });
  }
};

const OperatorEntry regions("regions", std::make_shared<Regions>());

}  // namespace
}  // namespace tailrace::analytics::operators::regions
