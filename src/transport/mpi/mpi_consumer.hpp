// The Consumer of a sender on another node, with credit-based flow control. It receives messages into its own
// memory. That is bounded by the sender's ring, since the sender reuses space only when packets are released
// here, and by the ReceiveBudget. Data that are not yet received stay in the sender's ring.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/thread_safety.hpp"
#include "comm/communicator.hpp"
#include "transport/aligned_bytes.hpp"
#include "transport/mpi/inbox.hpp"
#include "transport/receive_budget.hpp"
#include "transport/transport.hpp"

namespace tailrace::transport::mpi {

// Only the thread of next() calls MPI. release() and raise() may be called from any thread: they store
// credits and faults under mutex_, and next() sends them, many credits in one note. The packets of a message
// share its memory, since each is released separately. Constant after construction: communicator_, sender_,
// tag_, capacity_, doorbell_.
class MpiConsumer final : public Consumer {
 public:
  MpiConsumer(comm::Communicator& communicator, int sender, int tag, std::size_t capacity,
              Doorbell& doorbell);
  ~MpiConsumer() override;  // closes
  MpiConsumer(const MpiConsumer&) = delete;
  MpiConsumer& operator=(const MpiConsumer&) = delete;

  std::optional<Packet> next() override;
  void release(std::uint64_t sequence) override;
  void raise(const base::Fault& fault) override;
  void request_stop() override;
  void say_written(std::int64_t step) override;
  void close() override;  // sends the last credits, and that no more is received
  bool alive() override { return true; }
  bool needs_polling() const override { return true; }
  void join(std::shared_ptr<PollGroup>& company) override;
  // Starts to receive a message of this channel that a probe reported; false if there is no room yet.
  // `asked`: next() was called for this channel, not for another one that looks for all.
  bool start_receiving(const comm::Incoming& incoming, bool asked);
  bool waits_for_room() const;
  std::size_t bytes_under_way() const override;
  std::size_t capacity() const override { return capacity_; }
  void receive_into(ReceiveBudget& room) override;

 private:
  struct Arrival {  // a message that is being received
    std::shared_ptr<std::byte[]> memory;
    std::size_t bytes = 0;
    std::unique_ptr<comm::Request> request;
  };
  struct Taken {
    std::shared_ptr<std::byte[]> memory;  // shared by the packets of a message
    std::size_t bytes = 0;
    bool released = false;
  };
  struct Note {
    std::vector<std::byte> bytes;
    std::unique_ptr<comm::Request> request;
  };
  bool has_arrived();  // a packet to hand out is here
  void send_notes(bool idle);
  void send_note(std::vector<std::byte> bytes);
  void look();
  bool admit(std::size_t bytes, bool asked);

  comm::Communicator& communicator_;
  int sender_;
  int tag_;
  std::size_t capacity_;
  Doorbell& doorbell_;
  std::deque<Arrival> arrivals_;   // in the order they were sent
  std::size_t read_ = 0;           // bytes of arrivals_.front() already handed out
  std::deque<Note> notes_;         // under way
  std::uint64_t credited_ = 0;     // packets the sender knows to be released
  std::shared_ptr<Inbox> inbox_;   // null: it looks alone
  std::uint64_t seen_ = 0;         // the inbox's
  bool closed_ = false;            // and the sender knows it
  ReceiveBudget* room_ = nullptr;  // null: as much as the sender has

  mutable base::Mutex mutex_;
  std::deque<Taken> taken_ TAILRACE_GUARDED_BY(mutex_);
  std::uint64_t first_taken_ TAILRACE_GUARDED_BY(mutex_) = 0;  // sequence of taken_.front()
  std::size_t under_way_ TAILRACE_GUARDED_BY(mutex_) = 0;      // bytes arrived or arriving and not released
  std::size_t uncredited_ TAILRACE_GUARDED_BY(mutex_) = 0;     // bytes released since the last credit
  std::deque<base::Fault> faults_ TAILRACE_GUARDED_BY(mutex_);
  bool stop_to_say_ TAILRACE_GUARDED_BY(mutex_) = false;
  std::optional<std::int64_t> written_to_say_ TAILRACE_GUARDED_BY(mutex_);
  std::size_t large_ TAILRACE_GUARDED_BY(mutex_) = 0;    // of the room, until nothing is under way
  bool more_waits_ TAILRACE_GUARDED_BY(mutex_) = false;  // a message that has no room yet
};

}  // namespace tailrace::transport::mpi
