#include "transport/ring/ring_producer.hpp"

#include <algorithm>

#include "env/clock.hpp"
#include "env/delays.hpp"
#include "transport/mapping.hpp"
#include "transport/messages.hpp"

namespace tailrace::transport {
namespace {

constexpr double shortest_nap = 1e-3;
constexpr double longest_nap = 1e-2;
constexpr double nap_beside_work = 1e-4;  // between two calls of while_waiting

}  // namespace

RingProducer::RingProducer(RingPlace place, RingSending sending)
    : place_(std::move(place)),
      control_(*place_.control),
      writer_(control_, place_.data),
      when_full_(sending.when_full),
      doorbell_(std::move(sending.doorbell)),
      while_waiting_(std::move(sending.while_waiting)),
      sender_(sending.sender) {
  if (sending.spill) spill_.emplace(control_, std::move(*sending.spill));
  control_.producer = this_process();
  control_.producer_attached.store(1, std::memory_order_release);
}

RingProducer::~RingProducer() {
  control_.producer_closed.store(1, std::memory_order_release);
  doorbell_->ring();
}

std::span<std::byte> RingProducer::reserve(std::size_t payload) {
  reserved_ = Reserved::in_ring;
  reserved_bytes_ = payload;
  std::byte* place = writer_.fits(payload) ? writer_.try_reserve(payload) : nullptr;
  if (place == nullptr) [[unlikely]] {
    reserved_ = Reserved::nothing;
    place = reserve_when_full(payload);
  }
  return {place, payload};
}

std::byte* RingProducer::reserve_when_full(std::size_t payload) {
  if (when_full_ == WhenFull::spill) {
    std::byte* place = spill_->reserve(payload);
    reserved_ = Reserved::in_spill;
    return place;
  }
  if (!writer_.fits(payload)) throw too_large(payload, capacity());
  ring();
  if (when_full_ == WhenFull::fail) throw buffer_full(payload, bytes_under_way(), capacity(), sender_);
  std::byte* place = nullptr;
  ++counters_.stalls;
  const double begin = env::steady_seconds();
  wait_for(writer_.worthwhile_head(), [&] { return (place = writer_.try_reserve(payload)) != nullptr; });
  counters_.stall_seconds += env::steady_seconds() - begin;
  reserved_ = Reserved::in_ring;
  return place;
}

void RingProducer::publish(const model::PacketHeader& header) {
  TAILRACE_ASSERT(reserved_ != Reserved::nothing, "publish without reserve");
  env::maybe_delay("publish");
  const std::uint64_t sequence = counters_.packets;
  if (reserved_ == Reserved::in_ring) {
    writer_.publish(header, sequence);
  } else {
    spill_->publish(header, sequence);
    ++counters_.spilled_packets;
    counters_.spilled_bytes += reserved_bytes_;
  }
  reserved_ = Reserved::nothing;
  finished_ = header.kind == model::PacketKind::finish;
  ++counters_.packets;
  counters_.bytes += reserved_bytes_;
  unannounced_ += packet_size(reserved_bytes_);
  // To wake a sleeping receiver costs as much as copying a few 100 KiB, so flush does it, unless so much is
  // unread that this end may soon have to wait for it.
  if (unannounced_ >= capacity() / 2) ring();
}

void RingProducer::ring() {
  note_use();
  doorbell_->ring();
}

std::size_t RingProducer::note_use() {
  const std::size_t used = std::min(bytes_under_way(), capacity());
  counters_.most_bytes_under_way = std::max(counters_.most_bytes_under_way, used);
  unannounced_ = 0;
  return used;
}

// A receiver that is processing packets looks for more after short sleeps, and need not be woken for each
// step.
void RingProducer::flush() {
  if (finished_) let_go_of_memory();
  if (unannounced_ == 0) return;
  if (note_use() < capacity() / 4 && !finished_)
    doorbell_->nudge(patience);
  else
    doorbell_->ring();
}

// Unmaps the ring once the receiver has released the last packet: this end is idle while the receiver writes,
// and for a large ring it takes some time.
void RingProducer::let_go_of_memory() {
  if (let_go_ || control_.released.load(std::memory_order_acquire) < counters_.packets) return;
  let_go_ = true;
  Mapping::let_go(place_.data, capacity());
}

void RingProducer::drain() {
  ring();
  wait_for(writer_.tail(),
           [&] { return control_.released.load(std::memory_order_acquire) >= counters_.packets; });
}

// The bell of the control block ends the wait; the sleeps are short in order to detect the death of the
// receiver.
template <class Ready>
void RingProducer::wait_for(std::uint64_t wanted_head, Ready ready) {
  control_.wanted_head.store(wanted_head, std::memory_order_seq_cst);
  struct NoMore {
    RingControl& control;
    ~NoMore() { control.wanted_head.store(UINT64_MAX, std::memory_order_relaxed); }
  } const no_more{control_};
  double nap = shortest_nap;
  bool silence = true;
  const double begin = env::steady_seconds();
  while (true) {
    const std::uint32_t ticket = control_.space.ticket();
    if (ready()) return;
    throw_if_hopeless(silence);
    if (look_ && silence) look_(env::steady_seconds() - begin);
    doorbell_->ring();
    if (while_waiting_) {
      while_waiting_();
      if (ready()) return;
    }
    control_.space.sleep(ticket, while_waiting_ ? nap_beside_work : nap);
    nap = std::min(2 * nap, longest_nap);
    silence = control_.space.ticket() == ticket;
  }
}

void RingProducer::throw_if_hopeless(bool look_for_process) {
  if (const auto fault = take_fault()) throw Error(fault->code, fault->message);
  const bool closed = control_.consumer_closed.load(std::memory_order_acquire) != 0;
  const bool attached = control_.consumer_attached.load(std::memory_order_acquire) != 0;
  if (!closed && !(look_for_process && attached && gone(control_.consumer))) return;
  if (explain_) explain_();
  throw receiver_lost(sender_, closed ? "it has ended" : "its process no longer exists",
                      counters_.packets - control_.released.load(std::memory_order_acquire));
}

std::optional<base::Fault> RingProducer::take_fault() {
  if (control_.fault_full.load(std::memory_order_acquire) == 0) return std::nullopt;
  base::Fault fault{static_cast<ErrorCode>(control_.fault_code), {}};
  fault.message.assign(control_.fault_message, std::min<std::size_t>(control_.fault_size, fault_text));
  control_.fault_full.store(0, std::memory_order_release);
  doorbell_->ring();  // another thread may wait for the space of the fault
  return fault;
}

void RingProducer::abandon() noexcept {
  control_.abandoned.store(1, std::memory_order_release);
  doorbell_->ring();
}

}  // namespace tailrace::transport
