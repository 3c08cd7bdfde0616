// What the servers of one component say to each other, besides blocks of data.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "messaging/active_messages/active_messages.hpp"
#include "messaging/collectives/broadcast.hpp"
#include "messaging/messenger.hpp"

namespace tailrace::pipeline {

// Kinds of messages; each component has its own block of numbers.
enum class ControlMessage : std::int32_t {
  bundle,
  tick,
  final_tick,
  fault,
  fatal,
  closed,  // up the tree of servers, and once all have, down; each to each once one is lost
  closed_everywhere,
  closed_directly,
  set_up,  // in the same ways
  set_up_everywhere,
  set_up_directly,
  analytics,  // the active messages of the diagnostics, with their own kinds behind it
  analytics_end = analytics + messaging::ActiveMessages::kinds - 1,
  stop,      // the run is to end now
  stopped,   // a server takes nothing more of clients that had not finished
  complete,  // the last step that a server's clients have given in full: as closed
  complete_everywhere,
  complete_directly,
  complete_on_leader,  // behind the last step that it announces
  commit,              // commit what is closed up to this step, before its time
  cut,                 // how long a file becomes
  written,             // how far files are on disk
  // Of a checkpoint, which are no part of what must come to rest for it.
  keep,     // the leader's clients have asked for one at this step
  resting,  // servers are at rest, and how many messages they have sent and handled
  look,     // the root asks whether that is still so
  save,     // all servers rest: save now
  saved,    // a server has saved its state, and goes on when all have
  go_on,
  state,        // pieces of arrays, for their owner
  taken,        // the owner has them
  through,      // all that a server had to send has been taken
  all_through,  // and so it is with all servers
  shard,        // an owner's arrays are on disk
  drain,        // the shards are in burst buffers: drain them; or there will be no such checkpoint
  drained,      // a server has drained its shard, or cannot
  count
};
inline constexpr ControlMessage first_checkpoint_message = ControlMessage::keep;

inline std::int32_t kind_of(int component, ControlMessage kind) {
  return component * static_cast<std::int32_t>(ControlMessage::count) + static_cast<std::int32_t>(kind);
}

// Communication thread only.
class ControlChannel {
 public:
  // `component`: its number. The messenger must live longer.
  ControlChannel(messaging::Messenger& messenger, int component)
      : messenger_(messenger), component_(component) {}

  std::int32_t kind(ControlMessage kind) const { return kind_of(component_, kind); }
  void on(ControlMessage kind, messaging::Messenger::Handler handler) {
    messenger_.on(this->kind(kind), std::move(handler));
  }
  // The collectives of messaging/collectives/broadcast.hpp.
  void on_broadcast(ControlMessage kind, int root, messaging::Messenger::Handler handler) {
    messaging::on_broadcast(messenger_, this->kind(kind), root, std::move(handler));
  }
  void broadcast(ControlMessage kind, const messaging::Bytes& message) {
    messaging::broadcast(messenger_, this->kind(kind), message);
  }
  void on_broadcast_from_any(ControlMessage kind, std::function<void(const messaging::Bytes&)> handler) {
    messaging::on_broadcast_from_any(messenger_, this->kind(kind), std::move(handler));
  }
  void broadcast_from_any(ControlMessage kind, const messaging::Bytes& message) {
    messaging::broadcast_from_any(messenger_, this->kind(kind), message);
  }
  void on_flood_once(ControlMessage kind, std::function<void(const messaging::Bytes&)> handler) {
    messaging::on_flood_once(messenger_, this->kind(kind), std::move(handler));
  }
  void flood(ControlMessage kind, const messaging::Bytes& message) {
    messaging::flood(messenger_, this->kind(kind), message);
  }
  // Broadcasts ControlMessage::fault. It may arrive behind other messages of this server, and so it is sent
  // again with its last one.
  void tell(const base::Fault& fault);
  const std::vector<base::Fault>& told() const { return told_; }

  messaging::Messenger& messenger() { return messenger_; }
  int rank() const { return messenger_.rank(); }  // of this server
  int size() const { return messenger_.size(); }  // of servers

 private:
  messaging::Messenger& messenger_;
  int component_;
  std::vector<base::Fault> told_;
};

}  // namespace tailrace::pipeline
