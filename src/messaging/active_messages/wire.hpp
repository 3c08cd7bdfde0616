// The wire format of active messages. A message is one or more items. All items and their payloads begin at
// multiples of 16 bytes, so that numbers may be read in place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "messaging/active_messages/active_messages.hpp"

namespace tailrace::messaging::wire {

// An item of a broadcast is sent by the root, an item of a gather is sent to it.
enum class Operation : std::uint64_t { broadcast, gather };

struct Item {
  Operation operation = Operation::broadcast;
  Name name;
  std::span<const std::byte> payload;
};

void append(Bytes& message, const Item& item);
std::size_t size_of(const Item& item);  // in the message
// Returns the item at `offset` and advances `offset` to the next one; nothing at the end. Start with offset
// 0.
std::optional<Item> next_item(std::span<const std::byte> message, std::size_t& offset);

}  // namespace tailrace::messaging::wire
