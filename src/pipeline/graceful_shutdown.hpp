// Graceful shutdown of a component by a signal: the files end with the records that were complete after a
// last step, on which all servers agree.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "messaging/collectives/tree_allreduce.hpp"
#include "model/block.hpp"
#include "pipeline/control/control_channel.hpp"

namespace tailrace::pipeline {

struct StopOrder {
  std::string why;        // for example "ended by SIGTERM"
  double patience = 0.0;  // seconds in which clients may continue and finish
  double most = 0.0;      // seconds after which incomplete commits are abandoned
  // Seconds after which no more input is accepted, even from clients that still run.
  double latest() const { return 0.5 * (patience + most); }
};

// Communication thread only.
//
// When a job is stopped, the launcher signals all its processes: some clients die at once, others continue
// for a while, so the servers are at different steps. A record can be written only if every server has its
// part of it. So the last step is the minimum over all servers of the last complete step, an allreduce. Each
// server cuts its files there, but only after all steps that the leader announced have been processed, since
// commits follow from these. Without this agreement, the homes of files would wait for chunks that no client
// will ever send, and lose all records since the last commit.
class GracefulShutdown {
 public:
  struct Events {
    std::function<void()> stop;  // the order has arrived; once
    std::function<void(const model::Tick&)> commit;
    std::function<void(const model::Tick&)> cut;  // later steps are discarded; once
  };
  // `leader`: the server that announces the steps. `control` must live longer.
  GracefulShutdown(ControlChannel& control, int leader, Events events);

  void request(const StopOrder& order);  // on all servers; the first order of any server counts
  // The leader requests early commits of complete records: before an order, in its first seconds and while
  // the intake has nothing left every 0.1 s, otherwise every second.
  void request_commit(const model::Tick& complete, bool nothing_at_hand);
  // This server accepts no more input, and has all blocks of the steps up to this one.
  void announce_complete(const model::Tick& last);
  void announce_complete();  // nothing is missing: its clients have finished, or it has none

  const StopOrder* order() const { return order_ ? &*order_ : nullptr; }
  double waited() const;  // seconds since the order
  bool complete_announced() const { return complete_announced_; }
  bool others_have_stopped() const { return stopped_; }  // a server stopped before its clients had finished
  bool cut() const { return cut_; }
  const model::Tick& last() const { return last_; }          // valid after the cut
  base::Fault describe(const std::string& component) const;  // the fault for the model; valid after the cut

 private:
  void on_order(const StopOrder& order);
  void send_complete(const model::Tick& last, bool finished);
  messaging::Bytes bytes_of_last() const;
  void receive_last(const messaging::Bytes& message);
  void cut_if_all();

  ControlChannel& control_;
  int leader_;
  Events events_;
  std::optional<StopOrder> order_;
  bool requested_ = false;
  double ordered_at_ = 0.0;  // steady seconds
  double commit_requested_at_ = 0.0;
  std::int64_t commit_requested_of_ = model::static_step;
  bool complete_announced_ = false;
  bool stopped_ = false;
  bool cut_ = false;
  model::Tick last_{INT64_MAX, 0.0};   // the minimum so far
  messaging::TreeAllreduce complete_;  // over all servers
  bool leader_complete_ = false;       // all steps that the leader announced have arrived here
};

}  // namespace tailrace::pipeline
