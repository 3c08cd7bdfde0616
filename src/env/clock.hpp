// Time of the machine (never model time).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace tailrace::env {

// Nanoseconds of a monotonic clock; the origin is arbitrary but common to all processes of a node. A call
// takes some 20 ns: it is not virtual, since timers in hot paths use it.
inline std::uint64_t steady_nanoseconds() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}
inline double steady_seconds() { return 1e-9 * static_cast<double>(steady_nanoseconds()); }

// A clock for decisions that depend on time (every half second, give up after a minute), which tests can
// replace.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual double seconds() const = 0;       // monotonic
  virtual double wall_seconds() const = 0;  // since 1970-01-01 UTC; may jump
  virtual void sleep(double seconds) = 0;
};

Clock& system_clock();

class ManualClock final : public Clock {
 public:
  explicit ManualClock(double wall_seconds = 0.0) : wall_(wall_seconds) {}
  double seconds() const override { return now_; }
  double wall_seconds() const override { return wall_ + now_; }
  void sleep(double seconds) override { advance(seconds); }
  void advance(double seconds) { now_ += seconds; }

 private:
  double now_ = 0.0;
  double wall_;
};

// When the batch system will end this job, in wall seconds, if known (SLURM_JOB_END_TIME).
std::optional<double> end_of_job();

std::string iso_time(double wall_seconds);  // UTC to the second: 2026-01-31T23:59:59Z
inline std::string iso_time(const Clock& clock) { return iso_time(clock.wall_seconds()); }

}  // namespace tailrace::env
