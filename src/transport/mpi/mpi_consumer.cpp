#include "transport/mpi/mpi_consumer.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/bytes.hpp"
#include "base/log.hpp"
#include "env/clock.hpp"
#include "env/delays.hpp"
#include "transport/mpi/protocol.hpp"

namespace tailrace::transport::mpi {
namespace {

constexpr double patience_at_end = 1.0;  // seconds, for messages in transit when this end is destroyed
constexpr auto nap = std::chrono::microseconds(200);

}  // namespace

MpiConsumer::MpiConsumer(comm::Communicator& communicator, int sender, int tag, std::size_t capacity,
                         Doorbell& doorbell)
    : communicator_(communicator), sender_(sender), tag_(tag), capacity_(capacity), doorbell_(doorbell) {}

// A sender that died receives no note and completes no message. To wait for messages in transit would block
// indefinitely, so they and their memory are left to MPI.
MpiConsumer::~MpiConsumer() {
  if (inbox_) inbox_->remove(sender_);
  if (room_ != nullptr) {
    const base::MutexLock lock(mutex_);
    room_->give_large(large_);
    room_->held(0, under_way_);
    room_->leave();
  }
  try {
    close();
    const auto over = [&] {
      return std::ranges::all_of(notes_, [](Note& note) { return note.request->done(); }) &&
             std::ranges::all_of(arrivals_, [](Arrival& one) { return !one.request || one.request->done(); });
    };
    const double end = env::steady_seconds() + patience_at_end;
    while (env::steady_seconds() < end) {
      if (comm::thread_level() == comm::ThreadLevel::none || over()) return;
      std::this_thread::sleep_for(nap);
    }
  } catch (const std::exception& error) {
    base::log_warning(error.what());
  }
  struct Left {
    std::deque<Arrival> arrivals;
    std::deque<Note> notes;
  };
  static_cast<void>(new Left{std::move(arrivals_), std::move(notes_)});
}

void MpiConsumer::close() {
  if (std::exchange(closed_, true)) return;
  send_notes(true);
  base::ByteWriter closed;
  closed.put(mpi::Note::closed);
  send_note(closed.take());
}

std::optional<Packet> MpiConsumer::next() {
  env::maybe_delay("next");
  look();
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
  // Only an abandoned channel has a gap: the packets that it could not send.
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

void MpiConsumer::look() {
  if (inbox_) return inbox_->look(sender_, seen_);
  while (const auto incoming = communicator_.probe(sender_, tag_))
    if (!start_receiving(*incoming, true)) return;
}

void MpiConsumer::receive_into(ReceiveBudget& room) {
  room_ = &room;
  room.join();
}

// A message that is larger than the consumer's share of the room gets the large part alone. This cannot
// deadlock: a message ends with the packet that begins a step, and a client that has sent that packet is not
// asked again. So a message of a client that is asked belongs to the present step, and its packets are
// released whatever others do. A client that is not asked may be ahead.
bool MpiConsumer::admit(std::size_t bytes, bool asked) {
  const base::MutexLock lock(mutex_);
  if (room_ != nullptr && under_way_ + bytes > room_->part()) {
    more_waits_ = !asked || under_way_ > 0 || !room_->take_large(bytes);
    if (more_waits_) return false;
    large_ = bytes;
  }
  more_waits_ = false;
  under_way_ += bytes;
  if (room_ != nullptr) room_->held(bytes, 0);
  return true;
}

bool MpiConsumer::waits_for_room() const {
  const base::MutexLock lock(mutex_);
  return more_waits_;
}

bool MpiConsumer::start_receiving(const comm::Incoming& incoming, bool asked) {
  if (!admit(incoming.bytes, asked)) return false;
  Arrival& arrival = arrivals_.emplace_back();
  arrival.bytes = incoming.bytes;
  arrival.memory = allocate_aligned(incoming.bytes);
  arrival.request = communicator_.start_receive({arrival.memory.get(), arrival.bytes}, sender_, tag_);
  return true;
}

void MpiConsumer::join(std::shared_ptr<PollGroup>& company) {
  if (!company) company = std::make_shared<Inbox>(communicator_, tag_);
  auto inbox = std::dynamic_pointer_cast<Inbox>(company);
  if (!inbox || !inbox->is_of(communicator_, tag_)) return;
  inbox->add(sender_, *this);
  inbox_ = std::move(inbox);
}

void MpiConsumer::release(std::uint64_t sequence) {
  env::maybe_delay("release");
  std::shared_ptr<std::byte[]> memory;  // freed after the mutex is unlocked
  {
    const base::MutexLock lock(mutex_);
    TAILRACE_ASSERT(sequence - first_taken_ < taken_.size(),
                    "a packet is released that was not handed out, or twice");
    Taken& packet = taken_[sequence - first_taken_];
    TAILRACE_ASSERT(!packet.released, "a packet is released twice");
    packet.released = true;
    under_way_ -= packet.bytes;
    uncredited_ += packet.bytes;
    if (room_ != nullptr) {
      room_->held(0, packet.bytes);
      if (under_way_ == 0) room_->give_large(std::exchange(large_, 0));
    }
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

void MpiConsumer::say_written(std::int64_t step) {
  {
    const base::MutexLock lock(mutex_);
    written_to_say_ = step;
  }
  doorbell_.ring();
}

// A credit for each of many small packets would cost more than the packets: it is sent when it is large
// enough, or when there is nothing else to do.
void MpiConsumer::send_notes(bool idle) {
  std::deque<base::Fault> faults;
  bool stop = false;
  std::optional<std::int64_t> written;
  std::uint64_t released = credited_;
  {
    const base::MutexLock lock(mutex_);
    faults.swap(faults_);
    stop = std::exchange(stop_to_say_, false);
    written = std::exchange(written_to_say_, std::nullopt);
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
  if (written) {
    base::ByteWriter note;
    note.put(mpi::Note::written);
    note.put(*written);
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

// It is known only whether more waits at the sender, not how much.
std::size_t MpiConsumer::bytes_under_way() const {
  const base::MutexLock lock(mutex_);
  return more_waits_ ? std::max(capacity_, under_way_) : under_way_;
}

}  // namespace tailrace::transport::mpi
