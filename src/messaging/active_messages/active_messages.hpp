// Active messages by name between the servers of a run. An operation carries a name, such as (diagnostic,
// step), and a continuation; it is matched by that name and never by the order in which it was issued, so
// servers may run ahead of each other. Nothing here blocks. A bug in the plan, such as a name that is issued
// twice while it is open, or roots that differ, throws Error(internal) where it shows, which may be another
// server's progress(); what shows nowhere is left unmatched, and finish() reports it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "messaging/messenger.hpp"

namespace tailrace::messaging {

// What an operation is for. `what` is the same number on every server (from the plan); `round` tells its
// repetitions apart (the step).
struct Name {
  std::int64_t what = 0;
  std::int64_t round = 0;
  auto operator<=>(const Name&) const = default;
};

using Continuation = std::function<void(Bytes&& result)>;
using GatherContinuation = std::function<void(std::vector<Bytes>&& by_server)>;

// One per component and server. Communication thread only. Continuations run inside progress() or inside the
// very call, and may issue further operations.
class ActiveMessages {
 public:
  // On all servers the messenger's kinds from `first_kind` on become this object's. `tell` turns a name into
  // words for messages to people. All must live longer.
  static constexpr std::int32_t kinds = 6;
  ActiveMessages(Messenger& messenger, std::int32_t first_kind, std::function<std::string(const Name&)> tell);
  ~ActiveMessages();

  // Every server issues each of these once a name; `root` is the same on all.
  void broadcast(const Name& name, int root, Bytes&& message, Continuation then);  // message: root's
  void gather(const Name& name, int root, Bytes&& mine, GatherContinuation then);  // then: on root

  bool progress();            // sends what is bundled, runs what is complete; true if anything moved
  std::size_t bytes() const;  // held: contributions kept and messages not yet sent
  // For the watchdog: each open operation, whom it waits for; and what arrived that nobody here asked for.
  std::string describe() const;
  // Collective, non-blocking: `then` runs on every server once all operations on all servers are complete and
  // no message is under way, with the names that were left unmatched anywhere, one a line (empty: none). Call
  // once, after the last operation here was issued; continuations of operations issued earlier may still
  // issue further ones. The messenger may still have the verdict to send when `then` runs: see its idle().
  void finish(std::function<void(const std::string& unmatched)> then);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tailrace::messaging
