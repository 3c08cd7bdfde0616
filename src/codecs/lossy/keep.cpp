#include "codecs/lossy/keep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace tailrace::codecs::lossy {

std::string words(const Keep& keep) {
  std::vector<std::string> parts;
  if (keep.absolute) parts.push_back(fmt::format("absolute {:.15g}", *keep.absolute));
  if (keep.relative) parts.push_back(fmt::format("relative {:.15g} %", *keep.relative * 100.0));
  if (keep.digits) parts.push_back(fmt::format("digits {}", *keep.digits));
  if (keep.bits) parts.push_back(fmt::format("bits {}", *keep.bits));
  if (keep.information) parts.push_back(fmt::format("information {:.15g}", *keep.information));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Both algorithms round each value to the nearest number with that many bits or digits. A value that another
// bound keeps closer has more of them than the parameter says, so a mixture has no name.
std::optional<CfAlgorithm> cf_algorithm(const Keep& keep, std::size_t value_bytes) {
  const int most_bits = value_bytes == 4 ? 23 : 52, most_digits = value_bytes == 4 ? 7 : 15;
  if (keep.absolute || keep.relative) return std::nullopt;
  if (keep.digits && !keep.bits && !keep.information)
    return CfAlgorithm{"granular_bitround", "quantization_nsd", std::min(*keep.digits, most_digits)};
  if (keep.bits && !keep.digits && !keep.information)
    return CfAlgorithm{"bitround", "quantization_nsb", std::min(*keep.bits, most_bits)};
  if (keep.information && !keep.digits) return CfAlgorithm{"bitround", "quantization_nsb", 0};
  return std::nullopt;
}

}  // namespace tailrace::codecs::lossy
