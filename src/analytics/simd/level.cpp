#include "analytics/simd/level.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "base/error.hpp"

namespace tailrace::analytics::simd {

namespace {

constexpr std::array levels{Level::avx512, Level::avx2, Level::portable};

Level highest() {
  for (const Level level : levels)
    if (supported(level)) return level;
  return Level::portable;
}

Level chosen() {
  const char* const wish = std::getenv("TAILRACE_SIMD");
  if (!wish || !*wish) return highest();
  for (const Level level : levels) {
    if (name_of(level) != wish) continue;
    if (supported(level)) return level;
    throw Error(
        ErrorCode::configuration,
        fmt::format("TAILRACE_SIMD is '{}', which this processor lacks; the highest level it has is '{}'",
                    wish, name_of(highest())));
  }
  throw Error(ErrorCode::configuration,
              fmt::format("TAILRACE_SIMD is '{}'; it can be portable, avx2 or avx512", wish));
}

}  // namespace

std::string_view name_of(Level level) {
  switch (level) {
    case Level::portable: return "portable";
    case Level::avx2: return "avx2";
    case Level::avx512: return "avx512";
  }
  return "unknown";
}

bool supported(Level level) {
  if (level == Level::portable) return true;
#if defined(__x86_64__)
  if (level == Level::avx2) return __builtin_cpu_supports("avx2");
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
#else
  return false;
#endif
}

Level level() {
  static const Level once = chosen();
  return once;
}

}  // namespace tailrace::analytics::simd
