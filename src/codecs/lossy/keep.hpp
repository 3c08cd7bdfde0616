// The precision that lossy compression must keep of each value, and how far stored values are from those that
// would have been stored without it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace tailrace::codecs::lossy {

// All bounds that are given hold together, for each finite value x and the value y that is stored for it.
// NaN, infinities, zeros, denormals and fill values are stored as they are.
struct Keep {
  std::optional<double> absolute{};  // |y - x| <= absolute, in the units of the stored values
  std::optional<double> relative{};  // |y - x| <= relative * |x|
  std::optional<int> digits{};       // |y - x| <= half a unit in that significant decimal digit of x
  std::optional<int> bits{};         // |y - x| <= half a unit in that bit of x behind the leading one
  // The share of the information in the bits of neighbouring values that stays (information.hpp). A number of
  // bits is chosen for each record of a chunk.
  std::optional<double> information{};
  bool verifies_all = true;  // false: one chunk in sixteen is decoded again, chosen by its bytes

  bool is_empty() const { return !absolute && !relative && !digits && !bits && !information; }
  bool operator==(const Keep&) const = default;
};

// Attributes of a variable that tell its bound in words, and the largest errors of its values.
inline constexpr const char* bound_attribute = "tailrace_error_bound";
inline constexpr const char* absolute_attribute = "tailrace_largest_absolute_error";
inline constexpr const char* relative_attribute = "tailrace_largest_relative_error";

// "absolute 0.1, relative 1 %".
std::string words(const Keep& keep);

// The algorithm of CF 8.4 that rounds so, and the attribute with its parameter; nothing if CF has no name for
// it. The bits of `information` are known when the values are.
struct CfAlgorithm {
  std::string algorithm;  // bitround | granular_bitround
  std::string parameter;  // quantization_nsb | quantization_nsd
  int value = 0;          // 0: not known yet
};
std::optional<CfAlgorithm> cf_algorithm(const Keep& keep, std::size_t value_bytes);

// The largest errors of some values. The relative one leaves out values that are 0.
struct Reached {
  double absolute = 0.0, relative = 0.0;
  std::int64_t bits = 0;  // with `information`, the fewest that were kept; 0: none were rounded

  void merge(const Reached& other) {
    absolute = std::max(absolute, other.absolute);
    relative = std::max(relative, other.relative);
    if (other.bits > 0) bits = bits > 0 ? std::min(bits, other.bits) : other.bits;
  }
  bool operator==(const Reached&) const = default;
};

// The contents of the attributes of a variable in a file of an earlier run.
struct ExistingBound {
  std::string words;  // empty: its values were not rounded
  Reached reached;
};

}  // namespace tailrace::codecs::lossy
