// The end of a component before its model ends it: all servers agree on the last step that all of their
// clients have given in full, and the files end with what that step and those before it completed.
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
  std::string why;        // ended by SIGTERM
  double patience = 0.0;  // seconds in which clients that live may go on and finish
  double most = 0.0;      // seconds after which commits that are not complete are given up
  // Clients that go on and on are not waited for; what has come by then is taken.
  double latest() const { return 0.5 * (patience + most); }
};

// Communication thread only.
//
// Servers stand at different steps when the order comes, and clients that a signal has ended give no more. A
// record is in the files if every server had its part, so the last step is the smallest of those that the
// servers have: each says its own, up the tree of servers, and what is smallest comes down. Each cuts behind
// the last step that the leader announced.
class GracefulShutdown {
 public:
  struct Events {
    std::function<void()> stop;  // the order has come; once
    std::function<void(const model::Tick&)> commit;
    std::function<void(const model::Tick&)> cut;  // after this step nothing counts; once
  };
  // `leader`: the server that announces the steps. `messages` must live longer.
  GracefulShutdown(ControlChannel& control, int leader, Events events);

  void ask(const StopOrder& order);  // of all servers; the first order of any server counts
  // While it lasts, what is complete is committed on all servers: from time to time, and at once where no
  // more is at hand. The leader only.
  void ask_for_commit(const model::Tick& complete, bool nothing_at_hand);
  // This server takes nothing more, and has all of the steps up to this one.
  void say_complete(const model::Tick& last);
  void say_complete();  // this server misses nothing: its clients have finished, or it has none

  const StopOrder* order() const { return order_ ? &*order_ : nullptr; }
  double waited() const;  // seconds since the order
  bool said_complete() const { return said_complete_; }
  bool others_have_stopped() const { return stopped_; }  // some, with clients that had not finished
  bool cut() const { return cut_; }
  const model::Tick& last() const { return last_; }          // once it is cut
  base::Fault describe(const std::string& component) const;  // likewise, for the model

 private:
  void on_order(const StopOrder& order);
  void tell_complete(const model::Tick& last, bool finished);
  messaging::Bytes bytes_of_last() const;
  void hear_last(const messaging::Bytes& message);
  void cut_if_all();

  ControlChannel& control_;
  int leader_;
  Events events_;
  std::optional<StopOrder> order_;
  bool asked_ = false;
  double ordered_at_ = 0.0;  // steady seconds
  double asked_for_commit_at_ = 0.0;
  std::int64_t asked_for_commit_of_ = model::static_step;
  bool said_complete_ = false;
  bool stopped_ = false;
  bool cut_ = false;
  model::Tick last_{INT64_MAX, 0.0};   // the smallest that was named
  messaging::TreeAllreduce complete_;  // of all servers
  bool leader_complete_ = false;       // its last step is known here
};

}  // namespace tailrace::pipeline
