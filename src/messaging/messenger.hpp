// Active messages between the servers of a run: a message carries a kind, which names its handler, and bytes.
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

// One per server, used by the communication thread only. Messages from one server to another are handled in
// the order they were sent. A message to oneself is handled in the next progress(), like any other: a handler
// never runs inside the send() of its own server, whose caller is in the middle of something.
class Messenger {
 public:
  using Handler = std::function<void(int from, Bytes&& message)>;
  using SharedHandler = std::function<void(int from, base::SharedBytes message)>;

  // `communicator` must live longer. Local.
  explicit Messenger(comm::Communicator& communicator);
  ~Messenger();

  int rank() const { return communicator_.rank(); }
  int size() const { return communicator_.size(); }

  // A kind has one handler. What arrived before it was set is kept, and handled in the next progress().
  void on(std::int32_t kind, Handler handler);
  // For large messages: the handler may keep them, or a part, where they were received.
  void on_shared(std::int32_t kind, SharedHandler handler);
  void send(int to, std::int32_t kind, Bytes&& message);  // local, never blocks
  // The same; the last `tail_bytes` are the messenger's, and nobody's message.
  void send_slab(int to, std::int32_t kind, base::Slab&& message);
  static constexpr std::size_t tail_bytes = sizeof(std::int32_t);
  bool progress();                            // handles what has arrived; true if anything happened
  base::SlabPool& slabs() { return slabs_; }  // where messages are received, and other large things may lie
  // Sent, and not yet taken over by the other side.
  std::size_t bytes_in_flight() const { return bytes_in_flight_; }
  std::size_t bytes_arriving() const { return bytes_arriving_; }  // being received, or not handled yet
  // Nothing more is received while there is no room: it stays with the servers that sent it. Whatever takes
  // the room must go away without any message.
  void receive_while(std::function<bool()> has_room) { has_room_ = std::move(has_room); }
  // Messages of these kinds that were sent from here and handled here so far.
  struct Traffic {
    std::uint64_t sent = 0, handled = 0;
  };
  Traffic traffic(std::int32_t first_kind, std::int32_t end_kind) const;
  bool idle() const;  // nothing under way from here, half received, or waiting to be handled
  // A rank that is lost: what is under way to it or from it is given up, and what is sent to it from now on
  // is dropped. Else a large message would be waited for without end.
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
  std::unordered_map<std::int32_t, std::vector<Kept>> early_;  // of kinds without a handler yet
  bool early_due_ = false;  // some of them wait in local_, and go before what is still to arrive
  std::size_t bytes_in_flight_ = 0;
  std::size_t bytes_arriving_ = 0;
  std::unordered_map<std::int32_t, Traffic> traffic_;  // by kind
  std::function<bool()> has_room_ = [] { return true; };
};

}  // namespace tailrace::messaging
