#include <cmath>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "env/clock.hpp"

namespace tailrace::env {
namespace {

class SystemClock final : public Clock {
 public:
  double seconds() const override { return steady_seconds(); }
  double wall_seconds() const override {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  }
  void sleep(double seconds) override {
    if (seconds > 0.0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }
};

}  // namespace

Clock& system_clock() {
  static SystemClock clock;  // has no state
  return clock;
}

std::optional<double> end_of_job() {
  const char* const text = std::getenv("SLURM_JOB_END_TIME");
  if (text == nullptr) return std::nullopt;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  return end != text && *end == '\0' && seconds > 0.0 ? std::optional(seconds) : std::nullopt;
}

std::string iso_time(double wall_seconds) {
  const auto whole = static_cast<std::time_t>(std::floor(wall_seconds));
  std::tm parts{};
  gmtime_r(&whole, &parts);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, length};
}

}  // namespace tailrace::env
