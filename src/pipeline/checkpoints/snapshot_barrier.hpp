// A consistent snapshot of a component's servers after one step: every server has done all work of the steps
// up to the checkpoint's, and none of any later step.
//
// Chandra and Lamport's snapshot records messages in flight together with the states. Here the intakes pause
// instead, until no server has work and no message is in flight (QuiescenceDetector); then each server saves
// its state, and all continue when the last has saved (a TreeGather followed by a broadcast). The pause costs
// little, since the clients keep filling their buffers, and the state has no messages, so it can be loaded on
// another number of servers. Without the barrier, a piece in flight would be in no server's state, and the
// restarted run would lack its cells.
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
    std::function<bool()> at_rest;  // this server is idle: all work of the steps up to the snapshot is done
    std::function<void()> save;     // all servers are quiescent
  };
  // `leader`: the server that announces the steps. `control` must live longer.
  SnapshotBarrier(ControlChannel& control, int leader, Events events);

  // All clients of this server have requested a checkpoint after this step. On the leader, with the model's
  // values.
  void ask(const model::Tick& tick, std::span<const std::byte> values);
  // `may_begin`: the previous checkpoint is finished; used on the leader only.
  bool progress(bool may_begin);
  void give_up();

  // True from ask() until all servers have saved.
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
  bool announced_here_ = false;  // this server, the leader, has announced it
  messaging::QuiescenceDetector quiescence_;
  messaging::TreeGather saved_;
};

}  // namespace tailrace::pipeline::checkpoints
