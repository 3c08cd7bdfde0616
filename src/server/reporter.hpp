// Writes the files of a server in the report directory: status and log of commits while it runs, report and
// trace at the end.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/error.hpp"
#include "comm/communicator.hpp"
#include "handshake/run.hpp"
#include "messaging/collectives/tree_allreduce.hpp"
#include "messaging/messenger.hpp"
#include "telemetry/report.hpp"
#include "telemetry/status.hpp"
#include "telemetry/trace.hpp"

namespace tailrace::server {

// Communication thread only, except for the counters and the trace, which other threads fill too.
class Reporter {
 public:
  // Local. `server`: its number. `run` must live longer. `threads`: workers of this server.
  Reporter(int server, const handshake::Run& run, int threads);

  // Server 0 prepares the directory and broadcasts the result. Then each server opens its own files there,
  // unless the directory belongs to another session (not `ours`). So every server knows of a directory that
  // cannot be written before the models do.
  bool awaits_directory() const { return awaits_directory_; }
  void share_directory(messaging::Messenger& messenger);  // call once; calls open() when the result arrives
  void open(const std::optional<base::Fault>& fault, bool ours);  // later calls do nothing

  const std::optional<base::Fault>& start_fault() const { return start_fault_; }
  telemetry::ServerCounters& counters() { return counters_; }
  const telemetry::ServerCounters& counters() const { return counters_; }
  telemetry::Trace& trace() { return trace_; }
  telemetry::CommitLog* commit_log() { return commit_log_.get(); }  // null without a report
  // The component continues from the checkpoint of `step`. Call before any of its commits.
  void take_over_commits(const std::string& component, std::int64_t step) const {
    if (rank_ == 0 && commit_log_) commit_log_->take_over(component, step);
  }
  const std::string& started() const { return report_.info.started; }
  double begin() const { return begin_; }  // steady seconds

  // Whether this server keeps the declarations of components, for `tailrace check`.
  bool keeps_declarations() const { return rank_ == 0 && status_; }
  void keep_declarations(const std::string& component, const std::string& json) const;

  bool status_is_due() const { return status_ && status_->due(); }
  void publish(const telemetry::StatusSnapshot& snapshot) { status_->publish(snapshot); }

  // Adds a client's counters, as sent with its last record. `lasted`: when it stopped waiting for the end of
  // its files, counted from the begin of its component.
  void add_client(std::span<const std::byte> counted, std::uint64_t lasted);
  // Ends the report of this server, and returns it for merge() on server 0.
  messaging::Bytes end(const telemetry::StatusSnapshot& snapshot, const std::string& outcome);
  void merge(std::span<const std::byte> of_a_server);
  // They add the report of each server to those of the servers below it.
  messaging::TreeAllreduce::Callbacks callbacks_of_byes();
  messaging::Bytes merged() const;         // all merged reports, for the server above this one
  void write(const std::string& outcome);  // once all servers have ended

 private:
  std::string transport_names() const;
  void tell_out_of_range() const;

  const handshake::Run& run_;
  int rank_;
  telemetry::ServerCounters counters_;
  telemetry::Trace trace_;
  std::unique_ptr<env::File> mark_;  // of the report directory, on server 0
  std::unique_ptr<telemetry::Status> status_;
  std::unique_ptr<telemetry::CommitLog> commit_log_;
  telemetry::RunReport report_;
  bool awaits_directory_;
  std::optional<base::Fault> start_fault_;  // of server 0, known to all
  double begin_;
};

}  // namespace tailrace::server
