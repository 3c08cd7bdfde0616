// Active messages by name between the servers of a run. An operation carries a name, such as (diagnostic,
// step), and a continuation; it is matched by that name and never by the order in which it was issued, so
// servers may run ahead of each other. Nothing here blocks. A bug in the plan, such as a name that is issued
// twice while it is open, or roots that differ, throws Error(internal) where it shows, which may be another
// server's progress(); what shows nowhere is left unmatched, and told by finish().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
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

// Brings another server's contribution into one's own; must be associative and commutative.
using Combine = std::function<void(Bytes& into, std::span<const std::byte> other)>;
using Continuation = std::function<void(Bytes&& result)>;
using GatherContinuation = std::function<void(std::vector<Bytes>&& by_server)>;

// One per component and server. Communication thread only. Continuations run inside progress() or inside the
// very call, and may issue further operations.
class ActiveMessages {
 public:
  // The messenger's `kind` becomes this object's on all servers. `tell` turns a name into words for messages
  // to people. All must live longer.
  ActiveMessages(Messenger& messenger, std::int32_t kind, std::function<std::string(const Name&)> tell);
  ~ActiveMessages();

  // Every server issues each of these once a name (send: sender and receiver only); `root` is the same on
  // all.
  void send(const Name& name, int to, Bytes&& message);  // matched by receive() on `to`
  void receive(const Name& name, int from, Continuation then);
  void reduce(const Name& name, int root, Bytes&& mine, const Combine& combine,
              Continuation then);  // then: on root
  void allreduce(const Name& name, int root, Bytes&& mine, const Combine& combine, Continuation then);
  void broadcast(const Name& name, int root, Bytes&& message, Continuation then);  // message: root's
  void gather(const Name& name, int root, Bytes&& mine, GatherContinuation then);  // then: on root
  void barrier(const Name& name, std::function<void()> then);

  bool progress();           // sends what is bundled, runs what is complete; true if anything moved
  std::size_t open() const;  // operations issued here that are not complete
  // Between the two (any number at once) work is done elsewhere, in a task, that may still issue operations:
  // the end is not proven meanwhile. Begin inside a continuation, or before finish().
  void begin_work();
  void end_work();
  std::size_t bytes() const;  // held: contributions kept and messages not yet sent
  // For the watchdog: each open operation, whom it waits for; and what arrived that nobody here asked for.
  std::string describe() const;
  // Collective, non-blocking: `then` runs on every server once all operations on all servers are complete and
  // no message is under way, which is proven by counting; with the names that were left unmatched anywhere,
  // one a line (empty: none). Call once, after the last operation here was issued; work that arrives for
  // operations issued earlier may still issue further ones, from its continuation or between begin_work() and
  // end_work(). The messenger may still have the verdict to send when `then` runs: see its idle().
  void finish(std::function<void(const std::string& unmatched)> then);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tailrace::messaging
