// Who did what when, for Perfetto (ui.perfetto.dev) or chrome://tracing: spans by thread, in bounded memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "env/clock.hpp"
#include "env/file_system.hpp"

namespace tailrace::telemetry {

class Trace {
 public:
  // Off, it holds nothing and `span` costs a branch. `process` is shown as the title of the rank's track
  // ("server 0"), `sort_index` orders the tracks. The wall clock is read here, so that the traces of several
  // nodes fit together.
  Trace(bool on, std::string process, int sort_index, std::size_t most_spans = std::size_t{1} << 18);

  bool on() const { return !spans_.empty(); }
  // From any thread, without a lock. `name` must be a literal (it is kept as a pointer). Steady nanoseconds.
  // What does not fit any more is dropped and counted.
  void span(const char* name, std::uint64_t begin, std::uint64_t end);
  std::uint64_t dropped() const;
  // Trace Event Format. Call it when no thread adds spans any more. Does nothing when off.
  void write(env::FileSystem& files, const std::string& path) const;

 private:
  struct Span {
    const char* name;
    std::uint64_t begin, end;
    int thread;
  };
  std::string process_;
  int sort_index_;
  double wall_minus_steady_ = 0.0;  // seconds
  std::vector<Span> spans_;
  std::atomic<std::uint64_t> next_{0};
};

// One span for the life of this object. `trace` may be null.
class TraceSpan {
 public:
  TraceSpan(Trace* trace, const char* name)
      : trace_(trace && trace->on() ? trace : nullptr),
        name_(name),
        begin_(trace_ ? env::steady_nanoseconds() : 0) {}
  ~TraceSpan() {
    if (trace_) trace_->span(name_, begin_, env::steady_nanoseconds());
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

 private:
  Trace* trace_;
  const char* name_;
  std::uint64_t begin_;
};

}  // namespace tailrace::telemetry
