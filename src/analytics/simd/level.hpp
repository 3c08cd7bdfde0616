// The instruction set for which the hot loops are compiled. All levels give the same bits.
#pragma once

#include <string_view>

namespace tailrace::analytics::simd {

enum class Level { portable, avx2, avx512 };  // portable: the baseline of this architecture

std::string_view name_of(Level level);
bool supported(Level level);  // by this build and this processor

// The highest supported level, or a lower one that the environment variable TAILRACE_SIMD names. Determined
// once. Throws Error if the variable does not name a supported level.
Level level();

}  // namespace tailrace::analytics::simd
