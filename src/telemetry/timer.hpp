// Times a scope into counters and, where one is given, a trace.
#pragma once

#include <cstdint>

#include "env/clock.hpp"
#include "telemetry/counters.hpp"
#include "telemetry/trace.hpp"

namespace tailrace::telemetry {

//   { ScopedTimer timer(field.put); ... }
template <bool shared>
class ScopedTimer {
 public:
  explicit ScopedTimer(BasicTimings<shared>& timings) : timings_(timings) {}
  ~ScopedTimer() { timings_.record(env::steady_nanoseconds() - begin_); }
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  BasicTimings<shared>& timings_;
  std::uint64_t begin_ = env::steady_nanoseconds();
};

//   { PhaseTimer timer(counters, Phase::encode, trace); ... }     from any thread; `trace` may be null
class PhaseTimer {
 public:
  PhaseTimer(ServerCounters& counters, Phase phase, Trace* trace = nullptr)
      : timings_(counters.phase(phase)), trace_(trace), phase_(phase) {}
  ~PhaseTimer() {
    const std::uint64_t end = env::steady_nanoseconds();
    timings_.record(end - begin_);
    if (trace_) trace_->span(phase_name(phase_), begin_, end);
  }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  SharedTimings& timings_;
  Trace* trace_;
  Phase phase_;
  std::uint64_t begin_ = env::steady_nanoseconds();
};

}  // namespace tailrace::telemetry
