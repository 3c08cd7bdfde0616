// Measures the time of a scope for counters and an optional trace.
#pragma once

#include <cstdint>
#include <utility>

#include "env/clock.hpp"
#include "telemetry/counters.hpp"
#include "telemetry/trace.hpp"

namespace tailrace::telemetry {

//   { ScopedTimer timer(field.put); ... }
template <bool shared>
class ScopedTimer {
 public:
  explicit ScopedTimer(BasicTimings<shared>& timings) : timings_(timings) { timings.histogram.prefetch(); }
  ~ScopedTimer() { timings_.record(env::steady_nanoseconds() - begin_); }
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  BasicTimings<shared>& timings_;
  std::uint64_t begin_ = env::steady_nanoseconds();
};

//   { PhaseTimer timer(counters, Phase::encode, trace); ... }     from any thread; `trace` may be null
//
// A nested phase on the same thread stops the clock of the outer one, so that the sum of all phases is the
// time worked. The trace shows both, nested.
class PhaseTimer {
 public:
  PhaseTimer(ServerCounters& counters, Phase phase, Trace* trace = nullptr)
      : timings_(counters.phase(phase)),
        trace_(trace),
        phase_(phase),
        outer_(std::exchange(innermost_, this)) {}
  ~PhaseTimer() {
    const std::uint64_t end = env::steady_nanoseconds();
    timings_.record(end - begin_ - inside_);
    if (trace_) trace_->span(phase_name(phase_), begin_, end);
    innermost_ = outer_;
    if (outer_) outer_->inside_ += end - begin_;
  }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  static inline thread_local PhaseTimer* innermost_ = nullptr;

  SharedTimings& timings_;
  Trace* trace_;
  Phase phase_;
  PhaseTimer* outer_;
  std::uint64_t inside_ = 0;
  std::uint64_t begin_ = env::steady_nanoseconds();
};

}  // namespace tailrace::telemetry
