// What is committed when, and how far that is: the clocks and sinks of all files on one server.
//
// When a file commits and what a commit holds is a pure function of the steps that the leader announces, so
// every server points its sinks at the same commits without a message.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/blueprint.hpp"
#include "pipeline/control/control_channel.hpp"
#include "plan/axis_bank.hpp"
#include "plan/commit_clock.hpp"
#include "sinks/make_sink.hpp"

namespace tailrace::pipeline {

// Communication thread only, but for Sink::home_of().
class Commits final : public model::Stateful {
 public:
  // Called before the sink of a file is pointed at a commit.
  using Flush = std::function<void(std::size_t file, const plan::CommitDue& due)>;

  // Both must live longer.
  Commits(const Blueprint& blueprint, ControlChannel& control);

  // Once, before the first step: `bytes_per_record` of the time axes of each file. `flush` as above.
  void start_clocks(std::vector<std::vector<std::size_t>> bytes_per_record, Flush flush);
  // Creates the files that this server writes. Throws what went wrong.
  void create_sinks(const sinks::Owners& owners, sinks::SinkServices services);

  void advance(const model::Tick& tick);  // that the leader announced
  void finish();                          // the leader announced the end
  void give_up();                         // nothing more will come
  // Before their time, the records that steps up to this one closed.
  void commit_until(const model::Tick& tick);
  void write_soon();  // commits that wait for company
  // The records that steps up to this one closed are the last. Whoever writes a file tells the others how
  // long it becomes.
  void cut(const model::Tick& tick);

  bool progress();  // writes, and says what went wrong
  bool closed() const;

  // Between two steps, when all that was due is written. The sinks are created before load().
  bool at_rest() const;
  void save(model::StateSaver& saver) const override;
  void load(const model::StateLoader& loader) override;
  std::vector<plan::Pending> pending() const;  // by file of the plan

  const std::vector<std::unique_ptr<sinks::Sink>>& sinks() const { return sinks_; }
  const model::Tick& tick() const { return tick_; }     // that the leader announced last
  const plan::AxisBank& axes() const { return axes_; }  // at the last step that was announced
  const std::vector<plan::CommitClock>& clocks() const { return clocks_; }
  std::size_t bytes() const;  // held by the sinks
  // That the libraries which write them may keep for themselves, one file at a time.
  std::size_t cache_bytes() const { return closed() ? 0 : cache_bytes_; }
  std::size_t due_bytes(std::int64_t step) const;  // of these, what leaves without steps after this one
  // Likewise, but of each file that is written here no more than what exceeds its share of `bytes` by one:
  // the sum exceeds `bytes` only if all files do.
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
