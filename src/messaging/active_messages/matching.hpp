// Matches operations issued here with arriving messages, by name.
#pragma once

#include <cstddef>
#include <span>

#include "messaging/active_messages/continuations.hpp"
#include "messaging/active_messages/describer.hpp"
#include "messaging/active_messages/mailbox.hpp"
#include "messaging/active_messages/open.hpp"

namespace tailrace::messaging {

// No order is assumed between servers: the call or the message, whichever comes first, leaves an entry, and
// the other one finds and takes it. An entry is removed from the map before its continuation runs, since the
// continuation may issue the same name again. Operations that complete at once, as all do on a single
// server, leave no entry.
class Matching {
 public:
  // All must live longer.
  Matching(Mailbox& mailbox, Continuations& continuations, const Describer& describer)
      : mailbox_(mailbox), continuations_(continuations), describer_(describer) {}

  // Operations issued on this server.
  void give(const Key& key, int root, std::span<const std::byte> mine);
  void collect(const Key& key, Bytes&& mine, GatherContinuation then);
  void await(const Key& key, int from, Continuation then);

  // Arriving messages.
  void contributed(const Key& key, int from, std::span<const std::byte> bytes);
  void arrived(const Key& key, int from, std::span<const std::byte> bytes);

  std::size_t held() const { return held_; }  // bytes of contributions kept
  std::vector<std::string> lines(std::size_t most) const {
    return describer_.lines(collections_, awaited_, most);
  }

 private:
  Collection& take_part(Collections::iterator place, bool fresh, int from);
  void complete(Collections::iterator place);

  Mailbox& mailbox_;
  Continuations& continuations_;
  const Describer& describer_;
  Collections collections_;
  AwaitedResults awaited_;
  std::size_t held_ = 0;
};

}  // namespace tailrace::messaging
