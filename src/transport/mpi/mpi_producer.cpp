#include "transport/mpi/mpi_producer.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/bytes.hpp"
#include "env/clock.hpp"
#include "env/delays.hpp"
#include "transport/endpoints.hpp"
#include "transport/messages.hpp"
#include "transport/mpi/protocol.hpp"

namespace tailrace::transport::mpi {
namespace {

constexpr int reserves_between_looks = 64;  // each look for notes is a call of MPI
constexpr double shortest_nap = 2e-5;
constexpr double longest_nap = 1e-3;
constexpr double patience_at_end = 2.0;  // seconds for sends under way when a producer ends without drain
constexpr double patience_for_last_word =
    0.2;  // seconds in which the receiver's arrives, which closed before

void nap_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

}  // namespace

MpiProducer::MpiProducer(comm::Communicator& communicator, int receiver, int tag,
                         const BufferOptions& options, Sender sender)
    : communicator_(communicator),
      receiver_(receiver),
      tag_(tag),
      options_(options),
      sender_(sender),
      memory_(Mapping::anonymous(control_size + capacity_of(options))),
      control_(prepare(memory_.data(), capacity_of(options))),
      writer_(control_, memory_.data() + control_size),
      unsent_(control_, memory_.data() + control_size),
      unreleased_(control_, memory_.data() + control_size) {
  if (options.when_full != WhenFull::spill) return;
  SpillFile file = SpillFile::create(options.spill_directory);
  file.unlink();
  spilled_.emplace(control_, file.duplicate());
  spill_.emplace(control_, std::move(file));
}

// Receives the receiver's last note, so that no unreceived message is left in MPI.
void MpiProducer::hear_last_word() {
  if (comm::thread_level() == comm::ThreadLevel::none) return;
  const double end = env::steady_seconds() + patience_for_last_word;
  receive_notes();
  while (finished_ && !closed_ && env::steady_seconds() < end) {
    nap_for(shortest_nap);
    receive_notes();
  }
}

// A send that the receiver never takes would block the program here indefinitely, so it is abandoned and its
// memory is left to MPI.
MpiProducer::~MpiProducer() {
  try {
    hear_last_word();
    const auto all_sent = [&] {
      return std::all_of(messages_.begin(), messages_.end(),
                         [](auto& message) { return message.request->done(); }) &&
             (!goodbye_request_ || goodbye_request_->done());
    };
    const double end = env::steady_seconds() + patience_at_end;
    while (env::steady_seconds() < end) {
      if (comm::thread_level() == comm::ThreadLevel::none || all_sent()) return;
      nap_for(longest_nap);
    }
  } catch (...) {  // MPI has failed; its requests are not used again
  }
  struct Left {
    Mapping memory;
    std::deque<Message> messages;
    std::unique_ptr<comm::Request> goodbye;
  };
  static_cast<void>(new Left{std::move(memory_), std::move(messages_), std::move(goodbye_request_)});
}

std::span<std::byte> MpiProducer::reserve(std::size_t payload) {
  reserved_ = Reserved::nothing;
  if (++quiet_reserves_ >= reserves_between_looks) progress();
  reserved_bytes_ = payload;
  reserved_ = Reserved::in_ring;
  const bool behind_spilled =
      spill_ && !spill_->drained();  // spilled packets are sent first, to keep the order
  std::byte* place = writer_.fits(payload) && !behind_spilled ? writer_.try_reserve(payload) : nullptr;
  if (place == nullptr) {
    reserved_ = Reserved::nothing;
    place = reserve_when_full(payload);
  }
  return {place, payload};
}

std::byte* MpiProducer::reserve_when_full(std::size_t payload) {
  std::byte* place = nullptr;
  const bool fits = writer_.fits(payload);
  if (!fits && !spill_) throw too_large(payload, capacity());
  send_published();
  progress();
  if (spill_) {
    if (fits && spill_->drained()) place = writer_.try_reserve(payload);
    reserved_ = place != nullptr ? Reserved::in_ring : Reserved::in_spill;
    if (place != nullptr) return place;
    reserved_ = Reserved::nothing;
    place = spill_->reserve(payload);
    reserved_ = Reserved::in_spill;
    return place;
  }
  place = writer_.try_reserve(payload);
  if (place == nullptr) {
    if (options_.when_full == WhenFull::fail)
      throw buffer_full(payload, bytes_under_way(), capacity(), sender_);
    ++counters_.stalls;
    const double begin = env::steady_seconds();
    wait_for([&] { return (place = writer_.try_reserve(payload)) != nullptr; });
    counters_.stall_seconds += env::steady_seconds() - begin;
  }
  reserved_ = Reserved::in_ring;
  return place;
}

void MpiProducer::publish(const model::PacketHeader& header) {
  TAILRACE_ASSERT(reserved_ != Reserved::nothing, "publish without reserve");
  env::maybe_delay("publish");
  if (reserved_ == Reserved::in_ring) {
    writer_.publish(header, counters_.packets);
    waiting_bytes_ += packet_size(reserved_bytes_);
  } else {
    spill_->publish(header, counters_.packets);
    ++counters_.spilled_packets;
    counters_.spilled_bytes += reserved_bytes_;
  }
  reserved_ = Reserved::nothing;
  finished_ = header.kind == model::PacketKind::finish;
  ++counters_.packets;
  counters_.bytes += reserved_bytes_;
  if (waiting_bytes_ >= std::min(message_bytes, capacity() / 4)) send_published();
}

void MpiProducer::flush() {
  send_published();
  progress();
}

void MpiProducer::drain() {
  flush();
  wait_for([&] { return released_ >= counters_.packets; });
}

template <class Ready>
void MpiProducer::wait_for(Ready ready) {
  double nap = shortest_nap;
  const double begin = env::steady_seconds();
  while (true) {
    const std::uint64_t before = released_;
    progress();
    if (ready()) return;
    if (const auto fault = take_fault()) throw Error(fault->code, fault->message);
    if (closed_) {
      if (explain_) explain_();
      throw receiver_lost(sender_, "it has ended", counters_.packets - released_);
    }
    if (look_ && nap == longest_nap) look_(env::steady_seconds() - begin);
    nap = released_ != before ? shortest_nap : std::min(2 * nap, longest_nap);
    nap_for(nap);
  }
}

void MpiProducer::progress() {
  quiet_reserves_ = 0;
  receive_notes();
  give_back();
  if (spilled_) refill();
}

// Contiguous packets in the ring become one message, which ends with the first packet that is not a block:
// later packets may have to wait for other senders.
void MpiProducer::send_published() {
  counters_.most_bytes_under_way =
      std::max(counters_.most_bytes_under_way, std::min(bytes_under_way(), capacity()));
  waiting_bytes_ = 0;
  std::span<const std::byte> run;
  std::uint64_t first_sequence = 0;
  std::uint64_t end_sequence = 0;
  while (const auto packet = unsent_.peek()) {
    const auto* first = reinterpret_cast<const std::byte*>(packet->head);
    const auto total = static_cast<std::size_t>(packet->head->total);
    if (!run.empty() && (run.data() + run.size() != first || run.size() >= message_bytes)) {
      send(run, first_sequence, end_sequence, nullptr);
      run = {};
    }
    if (run.empty()) first_sequence = packet->head->sequence;
    run = {run.empty() ? first : run.data(), run.size() + total};
    end_sequence = packet->head->sequence + 1;
    const bool ends = !model::is_block(packet->head->header.kind);
    unsent_.advance(*packet);
    if (!ends) continue;
    send(run, first_sequence, end_sequence, nullptr);
    run = {};
  }
  if (!run.empty()) send(run, first_sequence, end_sequence, nullptr);
}

void MpiProducer::send(std::span<const std::byte> bytes, std::uint64_t first_sequence,
                       std::uint64_t end_sequence, AlignedBytes alone) {
  Message& message = messages_.emplace_back();
  message.first_sequence = first_sequence;
  message.end_sequence = end_sequence;
  message.alone = std::move(alone);
  message.request = communicator_.send(bytes, receiver_, tag_);
}

void MpiProducer::receive_notes() {
  while (const auto incoming = communicator_.probe(receiver_, tag_ + 1)) {
    std::vector<std::byte> bytes(incoming->bytes);
    communicator_.receive(bytes, receiver_, tag_ + 1);
    base::ByteReader note(bytes);
    switch (note.get<Note>()) {
      case Note::credit: released_ = note.get<std::uint64_t>(); break;
      case Note::fault: {
        const auto code = static_cast<ErrorCode>(note.get<std::int32_t>());
        faults_.push_back({.code = code, .message = note.get_text()});
        break;
      }
      case Note::closed: closed_ = true; break;
      case Note::stop: stop_requested_ = true; break;
      case Note::written: written_ = note.get<std::int64_t>(); break;
    }
  }
}

// Releases space packet by packet, since the receiver may keep the last packet of a message while a later
// message waits for room. The memory of a send is kept until MPI reports it complete, even if the receiver
// has released all of it.
void MpiProducer::give_back() {
  std::uint64_t limit = released_;
  for (Message& message : messages_) {
    if (!message.request->done()) limit = std::min(limit, message.first_sequence);
  }
  while (!messages_.empty() && messages_.front().end_sequence <= limit) messages_.pop_front();
  while (true) {
    const auto packet = unreleased_.peek();
    if (!packet || packet->head->sequence >= limit) break;
    unreleased_.advance(*packet);
  }
  control_.head.store(unreleased_.position(), std::memory_order_release);
}

void MpiProducer::refill() {
  bool filled = false;
  while (const PacketHead* head = spilled_->peek()) {
    const PacketHead packet = *head;
    const auto payload = static_cast<std::size_t>(packet.payload);
    if (writer_.fits(payload)) {
      if (reserved_ == Reserved::in_ring) break;  // the free place is reserved
      std::byte* place = writer_.try_reserve(payload);
      if (place == nullptr) break;
      spilled_->take(place);
      writer_.publish(packet.header, packet.sequence);
      filled = true;
      continue;
    }
    send_published();
    if (!messages_.empty()) break;  // a packet that is larger than the ring is sent alone
    const std::size_t bytes = packet_size(payload);
    AlignedBytes alone = allocate_aligned(bytes);
    new (alone.get()) PacketHead(packet);
    spilled_->take(alone.get() + sizeof(PacketHead));
    const std::byte* data = alone.get();
    send({data, bytes}, packet.sequence, packet.sequence + 1, std::move(alone));
    break;
  }
  if (filled) send_published();
}

std::size_t MpiProducer::bytes_under_way() const { return writer_.bytes_under_way(); }

std::optional<base::Fault> MpiProducer::take_fault() {
  if (faults_.empty()) return std::nullopt;
  base::Fault fault = std::move(faults_.front());
  faults_.pop_front();
  return fault;
}

bool MpiProducer::stop_requested() {
  receive_notes();
  return stop_requested_;
}

std::int64_t MpiProducer::written() {
  receive_notes();
  return written_;
}

void MpiProducer::abandon() noexcept {
  if (finished_ || goodbye_request_ || comm::thread_level() == comm::ThreadLevel::none) return;
  try {
    send_published();
    goodbye_ = {.sequence = counters_.packets,
                .payload = 0,
                .total = sizeof(PacketHead),
                .header = {.kind = model::PacketKind::abandon}};
    goodbye_request_ = communicator_.send(std::as_bytes(std::span(&goodbye_, 1)), receiver_, tag_);
  } catch (...) {  // the last note of a rank that leaves: there is no caller to report a failure to
  }
}

}  // namespace tailrace::transport::mpi
