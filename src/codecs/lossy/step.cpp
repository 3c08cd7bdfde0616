// Rounds to multiples of one step, the largest power of two that is at most twice the absolute bound.
#include "codecs/lossy/backends.hpp"
#include "codecs/lossy/kernel.hpp"

namespace tailrace::codecs::lossy {
namespace {

template <class T>
class Step final : public Rounding {
 public:
  Step(double absolute, std::optional<double> fill)
      : magic_(static_cast<T>(std::ldexp(1.0, floor_log2(absolute) + 1 + mantissa_bits<T>))),
        fill_(fill_of<T>(fill)) {}
  std::string name() const override { return "step"; }
  void round(std::span<std::byte> values) const override {
    for_each_value<T>(values, [magic = magic_, fill = fill_](T value) {
      return kept(value, to_multiple(value, magic), fill);
    });
  }

 private:
  T magic_, fill_;
};

template <class T>
std::unique_ptr<const Rounding> make(const RoundingRequest& request) {
  // The sum of a value and the magic number must be finite.
  const int exponent = floor_log2(*request.keep.absolute) + 1 + mantissa_bits<T>;
  if (exponent > std::numeric_limits<T>::max_exponent - 3) return nullptr;
  return std::make_unique<Step<T>>(*request.keep.absolute, request.fill_value);
}

}  // namespace

std::unique_ptr<const Rounding> make_step(const RoundingRequest& request) {
  const Keep& keep = request.keep;
  if (!keep.absolute || keep.relative || keep.digits || keep.bits) return nullptr;
  return request.type == model::DataType::float32 ? make<float>(request) : make<double>(request);
}

}  // namespace tailrace::codecs::lossy
