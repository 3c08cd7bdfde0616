// The state of a run that is in progress: status.json, which is replaced atomically at most twice a second,
// and commits.jsonl with a line for each commit.
//
// Each server writes its own status without communication: status.json for server 0, status.<n>.json for the
// others; `tailrace run` reads them all. All servers append to commits.jsonl, each line in one piece.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "env/clock.hpp"
#include "env/file_system.hpp"
#include "telemetry/counters.hpp"

namespace tailrace::telemetry {

// Creates the report directory and removes the files of an earlier run (report, status, commits, traces).
// Call it on one server before any server makes a Status or CommitLog. The returned file marks the directory
// as used by this run until it is closed. It is null if another active run has marked the directory; its
// files are not changed then. Throws Error(resource), also if there are files of these names in a directory
// where no run reported before. `keeps_commits`: a component may continue from a checkpoint;
// CommitLog::take_over() then finds the earlier commits.
std::unique_ptr<env::File> prepare_report_directory(env::FileSystem& files, const std::string& directory,
                                                    bool keeps_commits = false);

struct ComponentStatus {
  std::string name;
  std::int64_t step = 0;  // the last one that all clients of this server have reached
  double time = 0.0;      // model seconds
};

struct DatasetStatus {
  std::string path;
  std::uint64_t commits = 0;
  double model_time = 0.0;  // of the newest committed record
};

// An input field on this server.
struct InputStatus {
  std::string component, field;
  std::uint64_t reads = 0;       // records that this server read
  std::uint64_t bytes_read = 0;  // input::RecordValues::bytes_read
  std::uint64_t late = 0;        // records that a client needed before they had arrived here
  double late_seconds = 0.0;     // for how long the latest of those
};

// The newest checkpoint of a component, on the server that commits them.
struct CheckpointStatus {
  std::string component;
  std::uint64_t count = 0;  // of this run; 0: none is durable yet
  std::int64_t step = 0;
  double time = 0.0;     // model seconds
  double seconds = 0.0;  // from the model's call until it was durable
  std::uint64_t bytes = 0;
  double model_seconds = 0.0;  // the total time that the first rank spent in earlier calls of checkpoint
  // With a burst buffer: the newest checkpoint that was complete on the nodes, and how many wait there.
  std::int64_t step_on_nodes = -1;  // -1: none
  double seconds_to_nodes = 0.0;
  std::size_t waiting = 0;  // checkpoints
  std::uint64_t waiting_bytes = 0;
};

// The present state; the writer derives rates from one publication to the next.
struct StatusSnapshot {
  std::string host;
  std::vector<ComponentStatus> components;
  std::vector<DatasetStatus> files;  // that this server owns
  std::vector<CheckpointStatus> checkpoints;
  std::vector<InputStatus> inputs;
  std::uint64_t bytes_in = 0;
  std::uint64_t encoded_bytes_out = 0;
  double lag_seconds = 0.0;  // of the latest commit
  double buffer_used = 0.0;  // 0 to 1, of the fullest client buffer
  std::uint64_t pending_bytes = 0;
  std::uint64_t memory_bytes = 0;    // servers.memory
  bool memory_bounds_all = false;    // else what the plan must hold comes on top
  std::uint64_t resident_bytes = 0;  // of the process, now; in mode attached that is a rank of the model
  std::array<double, phase_count> phase_seconds{};  // by Phase, of all threads
  Timings lag;                                      // of each commit
};

class Status {
 public:
  // `files` and `clock` must live longer; the directory exists.
  Status(env::FileSystem& files, const env::Clock& clock, std::string directory, int server, int servers);

  // Ask before collecting a snapshot: cheap.
  bool due() const { return clock_.seconds() >= next_; }
  // A failure to write is logged once and then ignored: the status must not stop a run.
  void publish(const StatusSnapshot& snapshot);
  // Writes the last status in any case. `outcome`: "complete", or what went wrong.
  void finish(const StatusSnapshot& snapshot, const std::string& outcome);

 private:
  void write(const StatusSnapshot& snapshot, const std::string& state);
  std::optional<double> rate(const std::string& what, double value);

  env::FileSystem& files_;
  const env::Clock& clock_;
  std::string path_;
  int server_;
  int servers_;
  double begin_;
  double next_;
  bool complained_ = false;
  struct Rate {
    double value = 0.0, at = 0.0;  // of the last publication
    std::optional<double> smooth;  // in a second
  };
  std::map<std::string, Rate> rates_;
};

struct CommitLine {
  std::string path;                             // of the file, as in the configuration
  std::map<std::string, std::int64_t> lengths;  // of each unlimited dimension, after the commit
  double model_time = 0.0;
  std::string component = "";    // to which the file belongs
  std::int64_t checkpoint = -1;  // the step of the newest checkpoint before it; -1: none
};

// The last line of each file in commits.jsonl, by path, without lines that cannot be read. From any process.
std::map<std::string, CommitLine> last_commits(const env::FileSystem& files, const std::string& directory);

// A log of completed commits: a line guarantees that its records are in the file whatever happens next. So
// call `add` after the commit is complete. Readers, restarts and the fault tests rely on it.
class CommitLog {
 public:
  CommitLog(env::FileSystem& files, const env::Clock& clock, const std::string& directory, int server);
  // Failures are logged once and then ignored.
  void add(const CommitLine& line);
  // The component continues from the checkpoint of `step`: commits of earlier jobs before that are valid
  // again. Call it on one server, before any commit of the component.
  void take_over(const std::string& component, std::int64_t step);

 private:
  void append(const std::string& text);

  env::FileSystem& files_;
  const env::Clock& clock_;
  std::string directory_;
  int server_;
  bool complained_ = false;
};

}  // namespace tailrace::telemetry
