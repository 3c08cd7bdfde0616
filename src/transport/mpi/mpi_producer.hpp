// The Producer towards a receiver on another node: the ring is in the sender's own memory and is the send
// buffer.
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

// One thread calls it, the model's, and MPI is called from within its calls: no lock, no thread, no progress
// in between. The ring serves as send buffer because what MPI sends from must stay where it is until it is
// released, in the order in which a ring frees its room. Two readers walk behind the writer: unsent_ finds
// what makes up the next message, unreleased_ what credits have freed. The spill file is this end's own, both
// its writer and its reader: what was spilled goes through the ring later, so that the receiver sees one
// stream. Constant after construction: communicator_, receiver_, tag_, options_, sender_, memory_, control_.
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
  bool closed_ = false;    // the receiver said that it takes no more
  bool finished_ = false;  // the last packet was `finish`
  bool stop_requested_ = false;
  PacketHead goodbye_;
  std::unique_ptr<comm::Request> goodbye_request_;
};

}  // namespace tailrace::transport::mpi
