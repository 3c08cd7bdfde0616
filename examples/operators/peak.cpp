// An operator in C++ that remembers earlier steps: the highest value of each cell so far.
#include <cmath>

#include "tailrace/operator.h"

namespace {

void peak(std::span<const tailrace::OperatorInput> in, tailrace::OperatorState state,
          tailrace::OperatorOutput out) {
  const auto highest = state["highest"].values();  // NaN before the first step
  for (std::size_t i = 0; i < highest.size(); ++i) {
    highest[i] = std::fmax(highest[i], in[0].values()[i]);
    out.values()[i] = highest[i];
  }
}

}  // namespace

TAILRACE_OPERATOR_WITH_STATE(peak)
