// Active messages between the servers of a run: a message consists of a kind, which selects its handler, and
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/slab.hpp"
#include "comm/communicator.hpp"

namespace tailrace::messaging {

using Bytes = std::vector<std::byte>;

// One object per server, used by the communication thread only. Messages from one server to another are
// handled in the order in which they were sent. A message to oneself is handled in the next progress() like
// any other: a handler never runs inside send(), because the caller of send() may be in the middle of a
// change.
class Messenger {
 public:
  using Handler = std::function<void(int from, Bytes&& message)>;
  using SharedHandler = std::function<void(int from, base::SharedBytes message)>;

  // `communicator` must live longer. Local.
  explicit Messenger(comm::Communicator& communicator);
  ~Messenger();

  int rank() const { return communicator_.rank(); }
  int size() const { return communicator_.size(); }

  // A kind has one handler. Messages that arrived before it was set are kept, and handled in the next
  // progress().
  void on(std::int32_t kind, Handler handler);
  // For large messages: the handler may keep all or part of them in the memory in which they were received.
  void on_shared(std::int32_t kind, SharedHandler handler);
  void send(int to, std::int32_t kind, Bytes&& message);  // local, never blocks
  // Sends a slab without a copy. Its last `tail_bytes` are reserved for the messenger and not part of the
  // message.
  void send_slab(int to, std::int32_t kind, base::Slab&& message);
  static constexpr std::size_t tail_bytes = sizeof(std::int32_t);
  bool progress();                            // handles what has arrived; true if anything happened
  base::SlabPool& slabs() { return slabs_; }  // memory for received messages, and for other large data
  // Bytes that were sent and that the other side has not received yet.
  std::size_t bytes_in_flight() const { return bytes_in_flight_; }
  std::size_t bytes_arriving() const { return bytes_arriving_; }  // being received or not handled yet
  // Receives no further message while `has_room` is false; messages then stay on the servers that sent them.
  // To avoid a deadlock, the space must become free again without any message.
  void receive_while(std::function<bool()> has_room) { has_room_ = std::move(has_room); }
  // The number of messages of these kinds that this server has sent and handled so far.
  struct Traffic {
    std::uint64_t sent = 0, handled = 0;
  };
  Traffic traffic(std::int32_t first_kind, std::int32_t end_kind) const;
  bool idle() const;  // no message is being sent or received, or waits to be handled
  // Gives up all messages under way to or from a lost rank, and drops later ones to it. Otherwise this
  // server would wait indefinitely for the rest of a large message.
  void forget(int rank);

 private:
  struct Outgoing;
  struct Arriving;
  void start_send(int to, base::SharedBytes message);
  void start_to_receive();
  bool handle_arrived();
  void handle(int from, std::int32_t kind, base::SharedBytes message);

  comm::Communicator& communicator_;
  base::SlabPool slabs_;
  std::unordered_map<std::int32_t, SharedHandler> handlers_;
  std::deque<std::unique_ptr<Outgoing>> outgoing_;
  std::deque<std::unique_ptr<Arriving>> arriving_;  // in the order in which they were announced
  std::vector<unsigned char> forgotten_;            // by rank
  struct Local {
    int from;
    std::int32_t kind;
    base::SharedBytes message;
  };
  struct Kept {
    int from;
    base::SharedBytes message;
  };
  std::deque<Local> local_;
  std::unordered_map<std::int32_t, std::vector<Kept>> early_;  // of kinds that have no handler yet
  bool early_due_ = false;  // some of them wait in local_; they are handled before messages that arrive later
  std::size_t bytes_in_flight_ = 0;
  std::size_t bytes_arriving_ = 0;
  std::unordered_map<std::int32_t, Traffic> traffic_;  // by kind
  std::function<bool()> has_room_ = [] { return true; };
};

}  // namespace tailrace::messaging
