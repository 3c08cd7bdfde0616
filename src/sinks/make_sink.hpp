// The sink of each file of a plan on one server.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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

// The services of a server that a sink uses; all must live longer. `log` and `trace` may be null.
struct SinkServices {
  env::Executor& executor;
  telemetry::ServerCounters& counters;
  telemetry::CommitLog* log;
  telemetry::Trace* trace;
  double run_begin;  // steady seconds
  // Set if the component has checkpoints; called from any thread. The first before a file of a series is
  // created, with the path of the entry, and the step at which the file ends if the run ends there; the
  // second to add the latest checkpoint to the log line of a commit.
  std::function<void(const std::string& path, const std::string& series,
                     std::optional<std::int64_t> last_step)>
      begins_file = {};
  std::function<void(telemetry::CommitLine& line)> marks_commit = {};
};

// A file and its owners. `plan` and `layout` must live longer.
struct SinkPlace {
  const plan::DatasetPlan& plan;
  const cf::DatasetLayout& layout;
  std::size_t file;  // index into the plan's files
  int server;        // this one
  Owners owners;
};

// A file is written by its home, the server that owns it, or its chunks by every server (is_written_by_many).
// Throws if the file cannot be created, except with `on_error: skip`.
std::unique_ptr<Sink> make_sink(const SinkPlace& place, SinkServices services);

// Whether each server writes the chunks that it assembles, where there are several. The files of a series are
// created with their first commit, which no other server learns of, so that one server writes them.
bool is_written_by_many(const plan::DatasetPlan& plan);

// On what the owners of the chunks of a file depend. The references must live longer.
class OwnedVariables {
 public:
  // `file`: index into the plan's files.
  OwnedVariables(const plan::DatasetPlan& plan, const cf::DatasetLayout& layout, std::size_t file)
      : plan_(plan), layout_(layout), file_(file) {}
  // `variable`: index into the layout's variables. `grid` must live as long as the result.
  OwnedVariable of(std::size_t variable, const output::ChunkGrid& grid) const;

 private:
  const plan::DatasetPlan& plan_;
  const cf::DatasetLayout& layout_;
  std::size_t file_;
};

// Uncompressed bytes of one record of the variable.
std::size_t record_bytes(const cf::DatasetLayout& layout, const cf::VariableLayout& variable);

}  // namespace tailrace::sinks
