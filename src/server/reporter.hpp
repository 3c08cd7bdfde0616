// What a server leaves in the report directory: its status and the log of commits while it runs, the report
// and the trace at the end.
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

// Communication thread only; the counters and the trace are filled by those who work.
class Reporter {
 public:
  // Local. `server`: its number. `run` must live longer. `threads`: workers of this server.
  Reporter(int server, const handshake::Run& run, int threads);

  // Server 0 prepares the directory, and tells all how that went; then each opens its own files there, unless
  // it is another session's (not `ours`). So a
  // directory that cannot be written is known to every server before the models hear it.
  bool awaits_directory() const { return awaits_directory_; }
  void share_directory(messaging::Messenger& messenger);  // once; it may call open() as long as it lives
  void open(const std::optional<base::Fault>& fault, bool ours);  // the first time; then nothing

  const std::optional<base::Fault>& start_fault() const { return start_fault_; }
  telemetry::ServerCounters& counters() { return counters_; }
  const telemetry::ServerCounters& counters() const { return counters_; }
  telemetry::Trace& trace() { return trace_; }
  telemetry::CommitLog* commit_log() { return commit_log_.get(); }  // null without a report
  // The component goes on from the checkpoint of `step`. Before any of its commits.
  void take_over_commits(const std::string& component, std::int64_t step) const {
    if (rank_ == 0 && commit_log_) commit_log_->take_over(component, step);
  }
  const std::string& started() const { return report_.info.started; }
  double begin() const { return begin_; }  // steady seconds

  // Whether what components declared is kept here, for `tailrace check`.
  bool keeps_declarations() const { return rank_ == 0 && status_; }
  void keep_declarations(const std::string& component, const std::string& json) const;

  bool status_is_due() const { return status_ && status_->due(); }
  void publish(const telemetry::StatusSnapshot& snapshot) { status_->publish(snapshot); }

  // A client's counters, as it sent them with its last record; it waited for the end of its files until
  // `lasted`, counted from when its component began.
  void add_client(std::span<const std::byte> counted, std::uint64_t lasted);
  // This server is done: what server 0 is to merge().
  messaging::Bytes end(const telemetry::StatusSnapshot& snapshot, const std::string& outcome);
  void merge(std::span<const std::byte> of_a_server);
  messaging::TreeAllreduce::Callbacks
  callbacks_of_byes();                     // each server adds its own report to those of the servers below it
  messaging::Bytes merged() const;         // all of that, for the server above this one
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
