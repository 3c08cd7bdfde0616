// Rounding for codecs that predict values from their neighbours (codecs/lorenzo): they store whole numbers,
// so steps that are no powers of two cost them nothing.
#pragma once

#include <memory>

#include "codecs/codec.hpp"
#include "codecs/lossy/keep.hpp"
#include "codecs/lossy/rounding.hpp"

namespace tailrace::codecs::lossy {

bool predicts(const Codec& codec);

// The step between rounded values within an absolute bound alone; 0: they have no common step. It is a little
// smaller than twice the bound, since a multiple is rounded to the type too.
inline double step_of(const Keep& keep) {
  const bool is_alone = !keep.relative && !keep.digits && !keep.bits && !keep.information;
  return keep.absolute && is_alone ? 2.0 * *keep.absolute * (1.0 - 0x1p-10) : 0.0;
}

// As make_rounding(); a backend of its own for an absolute bound alone (all values to multiples of
// step_of()), and bit rounding for a relative one alone, whose values then have equal steps in their
// patterns.
std::unique_ptr<const Rounding> make_rounding_for_prediction(const RoundingRequest& request);

}  // namespace tailrace::codecs::lossy
