#include "messaging/active_messages/wire.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace tailrace::messaging::wire {
namespace {

constexpr std::size_t grain = 16;

struct Head {
  std::int64_t what;
  std::int64_t round;
  std::uint64_t bytes;
  Operation operation;
};
static_assert(sizeof(Head) % grain == 0);

std::size_t padded(std::size_t bytes) { return (bytes + grain - 1) / grain * grain; }

}  // namespace

std::size_t size_of(const Item& item) { return sizeof(Head) + padded(item.payload.size()); }

void append(Bytes& message, const Item& item) {
  const Head head{item.name.what, item.name.round, item.payload.size(), item.operation};
  const std::size_t at = message.size();
  const std::size_t size = at + size_of(item);
  // Reserves space for the bytes that the messenger appends; otherwise it would copy a large message once
  // more.
  if (size + grain > message.capacity()) message.reserve(std::max(2 * message.capacity(), size + grain));
  message.resize(size);
  std::memcpy(message.data() + at, &head, sizeof head);
  if (!item.payload.empty())
    std::memcpy(message.data() + at + sizeof head, item.payload.data(), item.payload.size());
}

std::optional<Item> next_item(std::span<const std::byte> message, std::size_t& offset) {
  if (offset == message.size()) return std::nullopt;
  Head head;
  TAILRACE_ASSERT(offset <= message.size() && message.size() - offset >= sizeof head,
                  "an item is shorter than it says");
  std::memcpy(&head, message.data() + offset, sizeof head);
  const std::size_t begin = offset + sizeof head;
  const auto bytes = static_cast<std::size_t>(head.bytes);
  const std::size_t rest = message.size() - begin;
  TAILRACE_ASSERT(bytes <= rest && padded(bytes) <= rest, "an item is shorter than it says");
  offset = begin + padded(bytes);
  return Item{head.operation, {head.what, head.round}, message.subspan(begin, bytes)};
}

}  // namespace tailrace::messaging::wire
