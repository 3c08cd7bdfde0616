// Which instructions the hot loops are compiled for. All levels give the same bits.
#pragma once

#include <string_view>

namespace tailrace::analytics::simd {

enum class Level { portable, avx2, avx512 };  // portable: what every processor of this architecture has

std::string_view name_of(Level level);
bool supported(Level level);  // by this build and this processor

// The highest supported level, or the lower one that the environment variable TAILRACE_SIMD names. Looked up
// once. Throws Error where the variable names no level or one that is not supported.
Level level();

}  // namespace tailrace::analytics::simd
