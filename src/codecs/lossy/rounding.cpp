#include "codecs/lossy/rounding.hpp"

#include "base/error.hpp"
#include "codecs/lossy/backends.hpp"

namespace tailrace::codecs::lossy {

bool can_round(model::DataType type) {
  return type == model::DataType::float32 || type == model::DataType::float64;
}

const std::vector<RoundingBackend>& rounding_backends() {
  static const std::vector<RoundingBackend> all{
      {"step", &make_step}, {"bitround", &make_bitround}, {"granular", &make_granular}};
  return all;
}

std::unique_ptr<const Rounding> make_rounding(const RoundingRequest& request) {
  TAILRACE_ASSERT(can_round(request.type) && !request.keep.is_empty() && !request.keep.information,
                  "only real values are rounded, to bounds that are known");
  for (const RoundingBackend& backend : rounding_backends())
    if (auto made = backend.make(request)) return made;
  throw Error(ErrorCode::internal, "no backend rounds to " + words(request.keep));
}

}  // namespace tailrace::codecs::lossy
