// A file on the server that owns it: takes finished chunks and commit points, writes complete commits on the
// I/O thread in order, and does what `on_error` says when the world refuses.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "output/committer.hpp"
#include "output/dataset.hpp"
#include "server/executor.hpp"
#include "session/file_clock.hpp"
#include "session/layout.hpp"
#include "session/part_cutter.hpp"
#include "session/plan.hpp"
#include "telemetry/counters.hpp"
#include "telemetry/status.hpp"
#include "telemetry/trace.hpp"

namespace tailrace::session {

// What an owned file needs of its server; all must live longer. `log` and `trace` may be null.
struct FileServices {
  server::Executor& executor;
  telemetry::ServerCounters& counters;
  telemetry::CommitLog* log;
  telemetry::Trace* trace;
  double run_begin;  // steady seconds
};

// Communication thread only.
class OwnedFile {
 public:
  // Creates the dataset; of a series only with the first commit into it. What goes wrong then is thrown, or,
  // with `on_error: skip`, logged, and the file is closed.
  OwnedFile(const FilePlan& plan, const FileLayout& layout, FileServices services);
  ~OwnedFile();

  void point(const CommitDue& due);
  void deliver(std::size_t variable, output::FinishedChunk&& chunk);
  bool progress();  // starts what can be written, takes in what was; true if anything moved
  void give_up();   // nothing more will come: write what is complete, then close
  bool closed() const { return closed_ && !writing_; }
  std::optional<base::Fault> take_fault() { return std::exchange(fault_, std::nullopt); }

  std::size_t bytes() const;  // held until a commit is written
  std::size_t due_bytes(
      std::int64_t step) const;  // held, and leaves without any input of steps after this one
  // Commits that were due up to this step are on disk; the largest number once nothing more will be written.
  std::int64_t written_step() const { return closed_ ? INT64_MAX : written_step_; }
  telemetry::FileStatus status() const;
  std::string describe() const;  // for the watchdog

 private:
  struct Write;
  void start(std::shared_ptr<Write> write);
  bool take_result();
  void committed(const Write& write);
  void failed(const base::Fault& fault);
  void start_close();
  void create(const std::string& part);
  void write(const output::ReadyCommit& ready);

  const FilePlan& plan_;
  const FileLayout& layout_;
  FileServices services_;
  std::unique_ptr<output::Dataset> dataset_;  // null between two files of a series
  output::Committer committer_;
  PartCutter cutter_;               // of a series
  std::uint64_t closed_bytes_ = 0;  // on disk, in files of a series that have ended; I/O thread only
  telemetry::FileCounters* counters_;
  std::shared_ptr<Write> write_;  // under way, or waiting to be tried again
  bool constants_sent_ = false;
  bool writing_ = false;
  bool giving_up_ = false;
  bool closing_ = false;
  bool closed_ = false;
  double retry_at_ = 0.0;
  std::uint64_t commits_ = 0;
  double committed_time_ = 0.0;
  std::int64_t written_step_ = model::static_step;
  std::optional<base::Fault> fault_;
};

}  // namespace tailrace::session
