// The commits of all files on one server: a clock and a sink for each file.
//
// The clock (plan::CommitClock) computes from the steps that the leader announces when a file commits and
// which records the commit contains. It is deterministic, so all servers compute the same commits without
// exchanging a message, and a server that assembles chunks flushes them for the same commit as the home of
// the file. A clock that depended on wall time or on memory in use would need an agreement for each commit.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/blueprint.hpp"
#include "pipeline/control/control_channel.hpp"
#include "pipeline/opened_files.hpp"
#include "plan/axis_bank.hpp"
#include "plan/commit_clock.hpp"
#include "sinks/make_sink.hpp"

namespace tailrace::pipeline {

// Communication thread only, except for Sink::home_of().
class Commits final : public model::Stateful {
 public:
  // Called before the sink of a file gets a commit point.
  using Flush = std::function<void(std::size_t file, const plan::CommitDue& due)>;

  // Both must live longer.
  Commits(const Blueprint& blueprint, ControlChannel& control);

  // Once, before the first step: `bytes_per_record` of the time axes of each file. `flush` as above.
  void start_clocks(std::vector<std::vector<std::size_t>> bytes_per_record, Flush flush);
  // Creates the files that this server writes. Throws if that fails.
  void create_sinks(const sinks::Owners& owners, sinks::SinkServices services);

  void advance(const model::Tick& tick);        // the leader announced this step
  void change_files(const OpenedFiles& files);  // the leader announced that the model ended or opened them
  void finish();                                // the leader announced the end
  void give_up();                               // no more chunks will arrive
  // Makes an early commit of the records that are complete after this step.
  void commit_until(const model::Tick& tick);
  void write_soon();  // writes commits that wait to be merged with later ones
  // Ends all files with the records that are complete after this step. The home of each file sends its final
  // lengths to the other servers.
  void cut(const model::Tick& tick);

  bool progress();  // writes, and reports faults
  bool closed() const;

  // Between two steps, when all due commits are written. The sinks must be created before load().
  bool at_rest() const;
  void save(model::StateSaver& saver) const override;
  void load(const model::StateLoader& loader) override;
  std::vector<plan::Pending> pending() const;  // by file of the plan

  const std::vector<std::unique_ptr<sinks::Sink>>& sinks() const { return sinks_; }
  const model::Tick& tick() const { return tick_; }     // the last step that the leader announced
  const plan::AxisBank& axes() const { return axes_; }  // at the last step that was announced
  const std::vector<plan::CommitClock>& clocks() const { return clocks_; }
  std::size_t bytes() const;  // held by the sinks
  // Bytes that formats may hold during commits (plan::FormatBytes).
  std::size_t cache_bytes() const { return closed() ? 0 : cache_bytes_; }
  std::size_t due_bytes(std::int64_t step) const;  // bytes that leave without steps after this one
  // The same sum, but each file counts at most its share of `bytes` plus one. So the sum exceeds `bytes` only
  // if every file that is written here exceeds its share.
  std::size_t due_within_shares(std::size_t bytes, std::int64_t step) const;
  std::vector<telemetry::DatasetStatus> status() const;
  std::string describe() const;

 private:
  void carry_out(std::size_t file, const plan::CommitDue& due);
  void on_cut(const messaging::Bytes& message);

  const Blueprint& blueprint_;
  ControlChannel& control_;
  Flush flush_;
  plan::AxisBank axes_;
  model::Tick tick_{model::static_step, 0.0};
  std::vector<plan::CommitClock> clocks_;            // by file of the plan
  std::vector<std::unique_ptr<sinks::Sink>> sinks_;  // by file of the plan
  std::size_t cache_bytes_ = 0;
};

}  // namespace tailrace::pipeline
