// The Producer for a receiver on another node: the ring is in the sender's own memory and is the send buffer.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "comm/communicator.hpp"
#include "transport/aligned_bytes.hpp"
#include "transport/mapping.hpp"
#include "transport/ring/ring.hpp"
#include "transport/ring/spill_file.hpp"
#include "transport/transport.hpp"

namespace tailrace::transport::mpi {

// Only the model's thread calls it, and MPI is called only inside these calls: there is no lock and no
// thread, and no progress between calls. The ring can serve as send buffer because memory from which MPI
// sends must not move until it is released, and a ring frees its space in that order. Two readers follow the
// writer: unsent_ finds the packets of the next message, unreleased_ those that credits have freed. This end
// both writes and reads the spill file: spilled packets pass through the ring later, so that the receiver
// gets one ordered stream. Constant after construction: communicator_, receiver_, tag_, options_, sender_,
// memory_, control_.
class MpiProducer final : public Producer {
 public:
  MpiProducer(comm::Communicator& communicator, int receiver, int tag, const BufferOptions& options,
              Sender sender);
  ~MpiProducer() override;
  MpiProducer(const MpiProducer&) = delete;
  MpiProducer& operator=(const MpiProducer&) = delete;

  std::span<std::byte> reserve(std::size_t payload) override;
  void publish(const model::PacketHeader& header) override;
  void flush() override;
  void drain() override;
  std::optional<base::Fault> take_fault() override;
  bool stop_requested() override;
  std::int64_t written() override;
  void abandon() noexcept override;
  const ProducerCounters& counters() const override { return counters_; }
  std::size_t bytes_under_way() const override;
  std::size_t capacity() const override { return writer_.capacity(); }

 private:
  enum class Reserved { nothing, in_ring, in_spill };
  struct Message {
    std::uint64_t first_sequence = 0;  // of its packets
    std::uint64_t end_sequence = 0;
    AlignedBytes alone;  // a packet that is larger than the ring
    std::unique_ptr<comm::Request> request;
  };

  std::byte* reserve_when_full(std::size_t payload);
  template <class Ready>
  void wait_for(Ready ready);
  void progress();  // receives notes, refills the ring from the spill file, sends
  void send_published();
  void send(std::span<const std::byte> bytes, std::uint64_t first_sequence, std::uint64_t end_sequence,
            AlignedBytes alone);
  void receive_notes();
  void hear_last_word();
  void give_back();
  void refill();

  comm::Communicator& communicator_;
  int receiver_;
  int tag_;
  BufferOptions options_;
  Sender sender_;
  Mapping memory_;
  RingControl& control_;
  RingWriter writer_;
  RingReader unsent_;
  RingReader unreleased_;
  std::optional<SpillWriter> spill_;
  std::optional<SpillReader> spilled_;
  std::deque<Message> messages_;  // sent, the last of its packets not yet released
  ProducerCounters counters_;
  std::deque<base::Fault> faults_;
  std::uint64_t released_ = 0;     // packets
  std::size_t waiting_bytes_ = 0;  // published, not yet sent
  int quiet_reserves_ = 0;         // since notes were last looked for
  Reserved reserved_ = Reserved::nothing;
  std::size_t reserved_bytes_ = 0;
  bool closed_ = false;    // the receiver reported that it takes no more
  bool finished_ = false;  // the last packet was `finish`
  bool stop_requested_ = false;
  std::int64_t written_ = INT64_MIN;
  PacketHead goodbye_;
  std::unique_ptr<comm::Request> goodbye_request_;
};

}  // namespace tailrace::transport::mpi
