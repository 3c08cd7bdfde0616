#include "pipeline/regridding/credit.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "base/index.hpp"

namespace tailrace::pipeline::regridding {
namespace {

constexpr std::size_t steps_ahead = 2;   // always allowed, so that servers work side by side
constexpr std::size_t report_share = 4;  // a fraction of the limit is used up without a message

}  // namespace

Credit::Credit(ControlChannel& control, std::size_t most)
    : control_(control), most_(most), peers_(static_cast<std::size_t>(control.size())) {
  control_.on(ControlMessage::regridded, [this](int from, messaging::Bytes&& message) {
    peers_[base::index(from)].known_used = base::ByteReader(message).get<std::uint64_t>();
  });
}

void Credit::send(int to, std::size_t bytes) {
  peers_[base::index(to)].sent.fetch_add(bytes, std::memory_order_relaxed);
}

void Credit::begin_step() {
  for (Peer& peer : peers_) {
    const std::uint64_t sent = peer.sent.load(std::memory_order_relaxed);
    peer.largest_step = std::max(peer.largest_step, sent - std::exchange(peer.sent_before_step, sent));
  }
}

void Credit::use_up(int from, std::size_t bytes) {
  Peer& peer = peers_[base::index(from)];
  peer.used += bytes;
  if (from == control_.rank()) {
    peer.known_used = peer.used;
    return;
  }
  if (peer.used - peer.reported < most_ / report_share) return;
  peer.reported = peer.used;
  base::ByteWriter writer;
  writer.put(peer.used);
  control_.messenger().send(from, control_.kind(ControlMessage::regridded), writer.take());
}

bool Credit::full() const {
  return std::ranges::any_of(peers_, [this](const Peer& peer) {
    const std::uint64_t waiting = peer.sent.load(std::memory_order_relaxed) - peer.known_used;
    return waiting > std::max<std::uint64_t>(most_, steps_ahead * peer.largest_step);
  });
}

std::size_t Credit::waiting() const {
  std::size_t bytes = 0;
  for (const Peer& peer : peers_) bytes += peer.sent.load(std::memory_order_relaxed) - peer.known_used;
  return bytes;
}

}  // namespace tailrace::pipeline::regridding
