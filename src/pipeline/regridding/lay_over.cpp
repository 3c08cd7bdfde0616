#include "pipeline/regridding/lay_over.hpp"

#include "base/error.hpp"
#include "time/masked_reductions.hpp"

namespace tailrace::pipeline::regridding {

void lay_over(const RegriddedPart& child, model::DataType type, const model::FillValue& fill,
              RegriddedPart& parent) {
  TAILRACE_ASSERT(child.part == parent.part && child.values.size() == parent.values.size() &&
                      child.fraction.size() == parent.fraction.size(),
                  "a child has the cells of its parent on the target");
  model::dispatch(type, [&]<class Value>(Value) {
    const time::Mask<Value> mask{.fill = fill.as<Value>()};
    const auto* const from = reinterpret_cast<const Value*>(child.values.data());
    auto* const to = reinterpret_cast<Value*>(parent.values.data());
    for (std::size_t i = 0; i < child.values.size() / sizeof(Value); ++i) {
      if (mask.hides(from[i])) continue;
      to[i] = from[i];
      if (!parent.fraction.empty()) parent.fraction[i] = child.fraction[i];
    }
  });
}

}  // namespace tailrace::pipeline::regridding
