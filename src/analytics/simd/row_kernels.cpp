#include "analytics/simd/row_kernels.hpp"

namespace tailrace::analytics::simd {

namespace {
const Kernels& kernels() {
  static const Kernels& best = kernels(level());
  return best;
}
}  // namespace

RowExtreme row_min(std::span<const double> values) { return kernels().row_min(values.data(), values.size()); }
RowExtreme row_max(std::span<const double> values) { return kernels().row_max(values.data(), values.size()); }

void cells_min(std::span<double> into, std::span<const double> values) {
  kernels().cells_min(into.data(), values.data(), values.size());
}
void cells_max(std::span<double> into, std::span<const double> values) {
  kernels().cells_max(into.data(), values.data(), values.size());
}

}  // namespace tailrace::analytics::simd
