#include "analytics/operators/support/simple_reduction.hpp"
#include "analytics/operators/support/sum_cells.hpp"

namespace tailrace::analytics::operators {
namespace {

class Sum final : public SimpleReduction {
 public:
  OperatorDoc doc() const override {
    return {"sum(a, dims..., skip_missing=0)",
            "The sum over the named dimensions, or all; as numpy.sum, but rounded only once: the bits do not "
            "depend on the decomposition or the order. NaN gives NaN; with skip_missing=1 NaN is left out "
            "(numpy.nansum). Empty blocks and ranks without cells contribute nothing; without cells the sum "
            "is 0, for length 1 it is the value.",
            "local; 1 to 3 times a plain sum, by processor; one message per server with about 50 bytes per "
            "kept cell",
            "Ahrens, Demmel, Nguyen (2020), ACM Trans. Math. Softw. 46 (3), 22"};
  }
  bool is_zero_of_nothing(const Call&) const override { return true; }

 protected:
  std::unique_ptr<Cells> make_cells(std::size_t cells, bool skip_missing) const override {
    return std::make_unique<SumCells>(cells, skip_missing);
  }
};

const OperatorEntry sum("sum", std::make_shared<Sum>());

}  // namespace
}  // namespace tailrace::analytics::operators
