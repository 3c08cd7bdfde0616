// A trace for Perfetto (ui.perfetto.dev) or chrome://tracing: spans by thread, in bounded memory.
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
  // If it is off, it stores nothing and `span` costs a branch. `process` is the title of the rank's track
  // ("server 0"), `sort_index` orders the tracks. The wall clock is read here, so that traces of several
  // nodes can be combined.
  Trace(bool on, std::string process, int sort_index, std::size_t most_spans = std::size_t{1} << 18);

  bool on() const { return !spans_.empty(); }
  // Safe from any thread, without a lock. `name` must be a literal (only the pointer is stored). `begin`,
  // `end`: nanoseconds of the monotonic clock. Spans that do not fit are dropped and counted.
  void span(const char* name, std::uint64_t begin, std::uint64_t end);
  std::uint64_t dropped() const;
  // Writes the Trace Event Format. REQUIRES: no thread adds spans any more. Does nothing if it is off.
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

// A span from the construction to the destruction of this object. `trace` may be null.
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
