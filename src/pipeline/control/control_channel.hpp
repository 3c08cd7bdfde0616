// The messages between the servers of one component, except blocks of data.
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

// The kinds of messages. Each component uses its own block of numbers.
enum class ControlMessage : std::int32_t {
  bundle,
  tick,
  files,  // the files that the model opens end, or others begin
  final_tick,
  fault,
  fatal,
  closed,  // a TreeAllreduce: up the tree, down again, and directly once a server is lost
  closed_everywhere,
  closed_directly,
  set_up,  // a TreeAllreduce too
  set_up_everywhere,
  set_up_directly,
  analytics,  // the active messages of the diagnostics use this kind and those up to analytics_end
  analytics_end = analytics + messaging::ActiveMessages::kinds - 1,
  stop,      // the run must end now
  stopped,   // a server takes no more packets from clients that have not finished
  complete,  // the last step that a server's clients have completed: a TreeAllreduce
  complete_everywhere,
  complete_directly,
  complete_on_leader,  // follows the last step that the leader announces
  commit,              // commit early all records that are closed by this step
  cut,                 // the final length of a file
  written,             // how much of each file is on disk
  regrid,              // bundles of source cells, to the servers that make target cells of them
  regridded,           // how many bytes of these a server has used up
  // Messages of a checkpoint. They do not count among those that must come to rest before it.
  keep,     // the leader's clients have asked for a checkpoint at this step
  resting,  // QuiescenceDetector: servers at rest, with their counts of messages
  look,     // QuiescenceDetector: the root asks again
  save,     // all servers are at rest: save now
  saved,    // a server has saved its state, and waits for go_on
  go_on,
  state,        // pieces of arrays, sent to their owner
  taken,        // the owner has received them
  through,      // owners have received all pieces of this server
  all_through,  // owners have received all pieces of all servers
  shard,        // the arrays of an owner are on disk
  drain,        // drain the shards from the burst buffers, or give the checkpoint up
  drained,      // a server has drained its shard, or has failed to
  // Messages of input fields. They do not count either.
  input_cells,     // the places of cells that only ranks know, to the servers that regrid input to them
  input_prepared,  // the owner of an entry has read the headers of its files
  input_wanted,    // records that a server needs, to their owner
  input_record,    // a record for the clients of a server, or why it cannot be had
  input_further,   // records behind the last one have come, or never will
  input_end,       // a server wants no more
  input_ended,     // the owner's answer: no record is under way
  regrid_set_up,   // how servers get the weights of regridding together
  count
};
inline constexpr ControlMessage first_checkpoint_message = ControlMessage::keep;

inline std::int32_t kind_of(int component, ControlMessage kind) {
  return component * static_cast<std::int32_t>(ControlMessage::count) + static_cast<std::int32_t>(kind);
}

// Communication thread only.
class ControlChannel {
 public:
  // `component`: number of the component. The messenger must live longer.
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
  // Broadcasts ControlMessage::fault. Other messages of this server may overtake it, so the last one carries
  // the fault again.
  void tell(const base::Fault& fault);
  const std::vector<base::Fault>& told() const { return told_; }

  messaging::Messenger& messenger() { return messenger_; }
  int rank() const { return messenger_.rank(); }  // number of this server
  int size() const { return messenger_.size(); }  // number of servers

 private:
  messaging::Messenger& messenger_;
  int component_;
  std::vector<base::Fault> told_;
};

}  // namespace tailrace::pipeline
