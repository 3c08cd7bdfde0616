#include "transport/mpi/mpi_consumer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.hpp"
#include "base/log.hpp"
#include "env/delays.hpp"
#include "transport/mpi/protocol.hpp"

namespace tailrace::transport::mpi {

MpiConsumer::MpiConsumer(comm::Communicator& communicator, int sender, int tag, std::size_t capacity,
                         Doorbell& doorbell)
    : communicator_(communicator), sender_(sender), tag_(tag), capacity_(capacity), doorbell_(doorbell) {}

MpiConsumer::~MpiConsumer() {
  try {
    send_notes(true);
    base::ByteWriter closed;
    closed.put(mpi::Note::closed);
    send_note(closed.take());
  } catch (const std::exception& error) {
    base::log_warning(error.what());
  }
}

std::optional<Packet> MpiConsumer::next() {
  env::maybe_delay("next");
  start_receiving();
  const bool arrived = has_arrived();
  send_notes(!arrived);
  if (!arrived) return std::nullopt;
  Arrival& arrival = arrivals_.front();
  const std::byte* place = arrival.memory.get() + read_;
  PacketHead head;
  TAILRACE_ASSERT(arrival.bytes - read_ >= sizeof head, "a message of a channel ends within a packet");
  std::memcpy(&head, place, sizeof head);
  TAILRACE_ASSERT(head.total == packet_size(head.payload) && head.total <= arrival.bytes - read_,
                  "a message of a channel ends within a packet");
  const auto total = static_cast<std::size_t>(head.total);
  const std::span<const std::byte> payload(place + sizeof head, static_cast<std::size_t>(head.payload));
  read_ += total;
  const base::MutexLock lock(mutex_);
  // Only an abandoned channel leaves a gap: what it could not send any more.
  const std::uint64_t sequence = first_taken_ + taken_.size();
  TAILRACE_ASSERT(head.sequence == sequence || head.header.kind == model::PacketKind::abandon,
                  "a packet of a channel is out of order");
  taken_.push_back({.memory = arrival.memory, .bytes = total});
  if (read_ == arrival.bytes) arrivals_.pop_front();
  return Packet{.header = head.header, .payload = payload, .sequence = sequence};
}

bool MpiConsumer::has_arrived() {
  if (arrivals_.empty()) return false;
  Arrival& arrival = arrivals_.front();
  if (!arrival.request) return true;
  if (!arrival.request->done()) return false;
  arrival.request.reset();
  read_ = 0;
  return true;
}

void MpiConsumer::start_receiving() {
  while (const auto incoming = communicator_.probe(sender_, tag_)) {
    Arrival& arrival = arrivals_.emplace_back();
    arrival.bytes = incoming->bytes;
    arrival.memory = allocate_aligned(incoming->bytes);
    {
      const base::MutexLock lock(mutex_);
      under_way_ += incoming->bytes;
    }
    arrival.request = communicator_.start_receive({arrival.memory.get(), arrival.bytes}, sender_, tag_);
  }
}

void MpiConsumer::release(std::uint64_t sequence) {
  env::maybe_delay("release");
  std::shared_ptr<std::byte[]> memory;  // is freed after the lock is
  {
    const base::MutexLock lock(mutex_);
    TAILRACE_ASSERT(sequence - first_taken_ < taken_.size(),
                    "a packet is released that was not handed out, or twice");
    Taken& packet = taken_[sequence - first_taken_];
    TAILRACE_ASSERT(!packet.released, "a packet is released twice");
    packet.released = true;
    under_way_ -= packet.bytes;
    uncredited_ += packet.bytes;
    memory = std::move(packet.memory);
    if (sequence != first_taken_) return;
    while (!taken_.empty() && taken_.front().released) {
      taken_.pop_front();
      ++first_taken_;
    }
  }
  doorbell_.ring();  // the thread that calls next() sends the credit
}

void MpiConsumer::raise(const base::Fault& fault) {
  {
    const base::MutexLock lock(mutex_);
    faults_.push_back(fault);
  }
  doorbell_.ring();
}

void MpiConsumer::request_stop() {
  {
    const base::MutexLock lock(mutex_);
    stop_to_say_ = true;
  }
  doorbell_.ring();
}

// A credit for each of many little packets would cost more than the packets: it waits until it is worth a
// message or there is nothing better to do.
void MpiConsumer::send_notes(bool idle) {
  std::deque<base::Fault> faults;
  bool stop = false;
  std::uint64_t released = credited_;
  {
    const base::MutexLock lock(mutex_);
    faults.swap(faults_);
    stop = std::exchange(stop_to_say_, false);
    if (idle || uncredited_ >= std::min(message_bytes, capacity_ / 4)) {
      released = first_taken_;
      uncredited_ = 0;
    }
  }
  while (!notes_.empty() && notes_.front().request->done()) notes_.pop_front();
  for (const base::Fault& fault : faults) {
    base::ByteWriter note;
    note.put(mpi::Note::fault);
    note.put(static_cast<std::int32_t>(fault.code));
    note.put_text(fault.message);
    send_note(note.take());
  }
  if (stop) {
    base::ByteWriter note;
    note.put(mpi::Note::stop);
    send_note(note.take());
  }
  if (released == credited_) return;
  credited_ = released;
  base::ByteWriter note;
  note.put(mpi::Note::credit);
  note.put(released);
  send_note(note.take());
}

void MpiConsumer::send_note(std::vector<std::byte> bytes) {
  Note& note = notes_.emplace_back();
  note.bytes = std::move(bytes);
  note.request = communicator_.send(note.bytes, sender_, tag_ + 1);
}

std::size_t MpiConsumer::bytes_under_way() const {
  const base::MutexLock lock(mutex_);
  return under_way_;
}

}  // namespace tailrace::transport::mpi
