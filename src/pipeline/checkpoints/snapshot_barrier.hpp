// One moment at which all servers of a component have done all that the steps up to a checkpoint's asked for,
// and nothing of any later one: then each saves what it holds, and goes on when all have.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "messaging/collectives/quiescence_detector.hpp"
#include "messaging/collectives/tree_gather.hpp"
#include "model/block.hpp"
#include "pipeline/control/control_channel.hpp"

namespace tailrace::pipeline::checkpoints {

// Communication thread only.
class SnapshotBarrier {
 public:
  struct Events {
    std::function<void(const model::Tick&, const messaging::Bytes& values)> begin;  // on every server
    std::function<bool()> at_rest;  // nothing is to be done here for the steps up to the cut
    std::function<void()> save;     // all servers rest
  };
  // `leader`: the server that announces the steps. `messages` must live longer.
  SnapshotBarrier(ControlChannel& control, int leader, Events events);

  // This server's clients stand at the step. On the leader, with the model's values.
  void ask(const model::Tick& tick, std::span<const std::byte> values);
  // `may_begin`: the checkpoint before is over; asked on the leader alone.
  bool progress(bool may_begin);
  void give_up();

  // Not once all servers have saved.
  bool asked() const { return asked_.has_value(); }
  bool under_way() const { return asked_ || announced_; }
  const std::optional<model::Tick>& asked_at() const { return asked_; }
  const std::optional<model::Tick>& announced_at() const { return announced_; }

 private:
  void begin(const messaging::Bytes& message);
  void save();
  bool is_leader() const { return control_.rank() == leader_; }

  ControlChannel& control_;
  int leader_;
  Events events_;
  std::optional<model::Tick> asked_, announced_;
  messaging::Bytes values_;      // on the leader, until it announces
  bool announced_here_ = false;  // by this server, the leader
  messaging::QuiescenceDetector quiescence_;
  messaging::TreeGather saved_;
};

}  // namespace tailrace::pipeline::checkpoints
