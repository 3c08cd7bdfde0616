// Named active messages between the servers of a run. An operation carries a name, such as (diagnostic,
// step), and a continuation. Operations are matched by name and never by the order in which they were
// issued, so servers may run ahead of each other. Nothing here blocks. A bug in the plan, such as a name
// that is issued twice while it is open, or roots that differ, throws Error(internal) on the server that
// detects it, possibly from its progress(). Operations that stay unmatched are reported by finish().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "messaging/messenger.hpp"

namespace tailrace::messaging {

// Identifies an operation. `what` comes from the plan and is the same number on every server. `round`
// distinguishes repetitions (the step).
struct Name {
  std::int64_t what = 0;
  std::int64_t round = 0;
  auto operator<=>(const Name&) const = default;
};

using Continuation = std::function<void(Bytes&& result)>;
using GatherContinuation = std::function<void(std::vector<Bytes>&& by_server)>;

// One object per component and server. Communication thread only. Continuations run inside progress() or
// inside the call that issues an operation, and may issue further operations.
class ActiveMessages {
 public:
  // Uses `kinds` of the messenger's kinds, from `first_kind` on, on all servers. `tell` describes a name in
  // messages to people. All must live longer.
  static constexpr std::int32_t kinds = 6;
  ActiveMessages(Messenger& messenger, std::int32_t first_kind, std::function<std::string(const Name&)> tell);
  ~ActiveMessages();

  // Every server issues each of these once for each name, with the same `root`.
  void broadcast(const Name& name, int root, Bytes&& message, Continuation then);  // message: the root's
  void gather(const Name& name, int root, Bytes&& mine, GatherContinuation then);  // then: called on the root

  bool progress();            // sends bundles and runs completed operations; true if anything moved
  std::size_t bytes() const;  // held in contributions and in messages not yet sent
  // For the watchdog: the open operations with the servers they wait for, and messages for operations not
  // issued here.
  std::string describe() const;
  // Collective, non-blocking. `then` runs on every server once all operations on all servers are complete
  // and no message is under way. It gets the names that were left unmatched on any server, one per line
  // (empty: none). Call this once, after issuing the last operation here; continuations of earlier
  // operations may still issue further ones. When `then` runs, the messenger may still have the result to
  // send: see Messenger::idle().
  void finish(std::function<void(const std::string& unmatched)> then);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tailrace::messaging
