// Compares values with those that are stored for them. It shares nothing with the rounding but the meaning of
// the bounds.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "codecs/codec.hpp"
#include "codecs/lossy/keep.hpp"

namespace tailrace::codecs::lossy {

// The largest errors; nothing if a value is out of the bound, or one that must survive did not. `original`
// and `stored`: as many values of `type`, float32 or float64. `keep` has no `information`: its bits are
// `bits`.
std::optional<Reached> compare(std::span<const std::byte> original, std::span<const std::byte> stored,
                               const Keep& keep, model::DataType type, const std::optional<double>& fill);

}  // namespace tailrace::codecs::lossy
