// Bit rounding: Kloewer et al. 2021, "Compressing atmospheric data into its real information content", Nature
// Computational Science 1, 713-724; the algorithm `bitround` of CF 8.4.
#include "codecs/lossy/backends.hpp"
#include "codecs/lossy/kernel.hpp"

namespace tailrace::codecs::lossy {
namespace {

template <class T>
class BitRound final : public Rounding {
 public:
  BitRound(int bits, std::optional<double> fill) : shift_(mantissa_bits<T> - bits), fill_(fill_of<T>(fill)) {}
  std::string name() const override { return "bitround"; }
  void round(std::span<std::byte> values) const override {
    if (shift_ <= 0) return;
    const Pattern<T> half = (Pattern<T>(1) << (shift_ - 1)) - 1;
    const Pattern<T> mask = ~((Pattern<T>(1) << shift_) - 1);
    for_each_value<T>(values, [half, mask, shift = shift_, fill = fill_](T value) {
      const auto pattern = std::bit_cast<Pattern<T>>(value);
      const Pattern<T> rounded = (pattern + half + ((pattern >> shift) & 1)) & mask;
      return kept(value, std::bit_cast<T>(rounded), fill);
    });
  }

 private:
  int shift_;
  T fill_;
};

}  // namespace

std::unique_ptr<const Rounding> make_bitround(const RoundingRequest& request) {
  const Keep& keep = request.keep;
  if (!keep.bits || keep.absolute || keep.relative || keep.digits) return nullptr;
  if (request.type == model::DataType::float32)
    return std::make_unique<BitRound<float>>(*keep.bits, request.fill_value);
  return std::make_unique<BitRound<double>>(*keep.bits, request.fill_value);
}

}  // namespace tailrace::codecs::lossy
