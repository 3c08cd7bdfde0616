#include "transport/messages.hpp"

#include <fmt/format.h>

#include "transport/ring/ring_layout.hpp"

namespace tailrace::transport {
namespace {

// The receiver as users know it: a client invites its server.
const char* receiver(Sender sender) { return sender == Sender::inviter ? "server" : "client"; }

}  // namespace

Error too_large(std::size_t payload, std::size_t capacity) {
  return {ErrorCode::usage, fmt::format("a packet of {} bytes can never fit into the buffer of {} bytes "
                                        "(servers.buffer), of which it needs {}; "
                                        "give a larger buffer, or when_full: spill",
                                        payload, capacity, packet_size(payload))};
}

Error buffer_full(std::size_t payload, std::size_t under_way, std::size_t capacity, Sender sender) {
  return {ErrorCode::full, fmt::format("no room for a packet of {} bytes: {} of the {} bytes of the buffer "
                                       "(servers.buffer) are in transit to the "
                                       "{}, and when_full is fail",
                                       payload, under_way, capacity, receiver(sender))};
}

Error receiver_lost(Sender sender, const char* what, std::uint64_t packets) {
  return {ErrorCode::lost, fmt::format("the {} is gone ({}); {} packets that it had not released are lost",
                                       receiver(sender), what, packets)};
}

std::size_t capacity_of(const BufferOptions& options) {
  if (options.bytes == 0) throw Error(ErrorCode::usage, "servers.buffer is 0; expected at least 1 KiB");
  return (options.bytes + 4095) / 4096 * 4096;
}

}  // namespace tailrace::transport
