// Receives messages from many senders for the consumers that share a tag.
#pragma once

#include <map>

#include "comm/communicator.hpp"
#include "transport/transport.hpp"

namespace tailrace::transport::mpi {

class MpiConsumer;

// A single probe serves all senders, since each probe is a call of MPI. Only for the thread of next(). All
// consumers of this communicator and tag must join: a message of another sender would hide those behind it.
class Inbox final : public PollGroup {
 public:
  Inbox(comm::Communicator& communicator, int tag) : communicator_(communicator), tag_(tag) {}

  bool is_of(const comm::Communicator& communicator, int tag) const {
    return &communicator_ == &communicator && tag_ == tag;
  }
  void add(int sender, MpiConsumer& consumer) { consumers_[sender] = &consumer; }
  void remove(int sender) { consumers_.erase(sender); }
  // Starts to receive announced messages for all consumers, unless another consumer did so since the last
  // call of this one. `seen`: a counter of the consumer, initially 0. A message without room is only taken
  // for the calling consumer.
  void look(int sender, std::uint64_t& seen);

 private:
  void look_at_all();
  void look_at(int sender, MpiConsumer& consumer, bool asked);

  comm::Communicator& communicator_;
  int tag_;
  std::map<int, MpiConsumer*> consumers_;  // by sender
  std::uint64_t looks_ = 0;
};

}  // namespace tailrace::transport::mpi
