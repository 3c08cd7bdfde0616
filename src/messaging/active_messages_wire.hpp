// How active messages look on their way. A message is a word, then items or whatever the word brings. All
// items and their payloads begin at multiples of 16 bytes, so that numbers may be read in place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "messaging/active_messages.hpp"

namespace tailrace::messaging::wire {

enum class MessageKind : std::uint32_t {
  items,
  count,      // termination: what have you sent and received?
  counts,     // the answer
  list,       // all is over: what is left unmatched?
  unmatched,  // the answer
  verdict     // what is left unmatched anywhere
};

enum class Operation : std::uint32_t { send, reduce, allreduce, broadcast, gather, barrier };
enum class Role : std::uint32_t { contribution, result };  // to the root; from it (or from a sender)

struct Item {
  Operation operation = Operation::send;
  Role role = Role::result;
  Name name;
  std::span<const std::byte> payload;
};

Bytes begin(MessageKind kind);
void append(Bytes& message, const Item& item);
std::size_t size_of(const Item& item);  // in the message

MessageKind kind_of(std::span<const std::byte> message);
std::span<const std::byte> content(std::span<const std::byte> message);  // behind the word
// The item at `offset`, which moves on to the next; nothing at the end. Start with offset 0.
std::optional<Item> next_item(std::span<const std::byte> message, std::size_t& offset);

}  // namespace tailrace::messaging::wire
