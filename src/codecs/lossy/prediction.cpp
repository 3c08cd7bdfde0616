#include "codecs/lossy/prediction.hpp"

#include <algorithm>

#include "codecs/lorenzo/filter_id.hpp"
#include "codecs/lorenzo/residuals.hpp"
#include "codecs/lossy/kernel.hpp"

namespace tailrace::codecs::lossy {
namespace {

// Rounds to multiples of one step that is nearly twice the absolute bound.
template <class T>
class EqualSteps final : public Rounding {
 public:
  EqualSteps(const Keep& keep, std::optional<double> fill)
      : absolute_(*keep.absolute), step_(step_of(keep)), fill_(fill_of<T>(fill)) {}
  std::string name() const override { return "equal_steps"; }
  // A value beyond the whole numbers of the codec stays as it is, and so does one that its own type keeps
  // from coming within the bound.
  void round(std::span<std::byte> values) const override {
    for_each_value<T>(values,
                      [absolute = absolute_, step = step_, inverse = 1.0 / step_, fill = fill_](T value) {
                        const auto wide = static_cast<double>(value);
                        const double multiple = lorenzo::nearest_multiple(wide, inverse);
                        const T rounded = static_cast<T>(multiple * step) + T(0);
                        const T size = std::abs(rounded);
                        const bool may = (std::abs(multiple) < lorenzo::largest_multiple) &
                                         (std::abs(static_cast<double>(rounded) - wide) <= absolute) &
                                         ((size >= std::numeric_limits<T>::min()) | (size == T(0)));
                        return may ? kept(value, rounded, fill) : value;
                      });
  }

 private:
  double absolute_, step_;
  T fill_;
};

// The fewest bits with half a unit in the last within this share of a value.
int bits_within(double relative) {
  int bits = 1;
  while (std::ldexp(1.0, -bits - 1) > relative) ++bits;
  return bits;
}

}  // namespace

bool predicts(const Codec& codec) {
  return std::ranges::any_of(codec.filters(4),
                             [](const Filter& filter) { return filter.hdf5_id == lorenzo::filter_id; });
}

std::unique_ptr<const Rounding> make_rounding_for_prediction(const RoundingRequest& request) {
  RoundingRequest wanted = request;
  const Keep& keep = request.keep;
  if (step_of(keep) > 0.0) {
    if (request.type == model::DataType::float32)
      return std::make_unique<EqualSteps<float>>(keep, request.fill_value);
    return std::make_unique<EqualSteps<double>>(keep, request.fill_value);
  }
  if (keep.relative && !keep.absolute && !keep.digits && !keep.bits)
    wanted.keep = {.bits = bits_within(*keep.relative)};
  return make_rounding(wanted);
}

}  // namespace tailrace::codecs::lossy
