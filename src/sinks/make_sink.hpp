// The sink of each file of a plan on one server.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cf/layout.hpp"
#include "env/executor.hpp"
#include "plan/plan.hpp"
#include "sinks/owners.hpp"
#include "sinks/sink.hpp"
#include "telemetry/counters.hpp"
#include "telemetry/status.hpp"
#include "telemetry/trace.hpp"

namespace tailrace::sinks {

// What a sink needs of its server; all must live longer. `log` and `trace` may be null.
struct SinkServices {
  env::Executor& executor;
  telemetry::ServerCounters& counters;
  telemetry::CommitLog* log;
  telemetry::Trace* trace;
  double run_begin;  // steady seconds
  // Where the component has checkpoints, from any thread: before a file of a series is made; and to mark what
  // is logged of a commit with the checkpoint before it.
  std::function<void(const std::string& path)> begins_file = {};
  std::function<void(telemetry::CommitLine& line)> marks_commit = {};
};

// Which file, and where the servers stand towards it. `plan` and `layout` must live longer.
struct SinkPlace {
  const plan::DatasetPlan& plan;
  const cf::DatasetLayout& layout;
  std::size_t file;  // index into the plan's files
  int server;        // this one
  Owners owners;
};

// A file has one home, the server that owns it, unless its format can be written by many: then each server
// writes the chunks that it puts together. Throws what keeps the file from being created, unless `on_error`
// says to skip it.
std::unique_ptr<Sink> make_sink(const SinkPlace& place, SinkServices services);

// Of record_bytes and the grid of a variable.
std::size_t record_bytes(const cf::DatasetLayout& layout, const cf::VariableLayout& variable);

}  // namespace tailrace::sinks
