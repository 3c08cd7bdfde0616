#include "transport/packet_source.hpp"

namespace tailrace::transport {

void PacketSource::take(std::vector<Packet>& packets, std::size_t most, std::size_t bytes) {
  for (std::size_t taken = 0, size = 0; taken < most && size < bytes; ++taken) {
    const auto packet = next();
    if (!packet) return;
    packets.push_back(*packet);
    size += packet->payload.size();
    if (!model::is_block(packet->header.kind)) return;
  }
}

// From the last to the first: only the release of the oldest frees room, and then it frees all at once.
void PacketSource::release(std::span<const Packet> packets) {
  for (auto packet = packets.rbegin(); packet != packets.rend(); ++packet) release(packet->sequence);
}

}  // namespace tailrace::transport
