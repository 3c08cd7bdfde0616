// What arrives for the consumers of one channel number, from many senders.
#pragma once

#include <map>

#include "comm/communicator.hpp"
#include "transport/transport.hpp"

namespace tailrace::transport::mpi {

class MpiConsumer;

// Each probe is a call of MPI that looks at all that arrives, so one asks for all senders. The thread of
// next() alone. Consumers that join must be all there are for this communicator and tag: a message of another
// sender would hide those behind it.
class Inbox final : public PollGroup {
 public:
  Inbox(comm::Communicator& communicator, int tag) : communicator_(communicator), tag_(tag) {}

  bool is_of(const comm::Communicator& communicator, int tag) const {
    return &communicator_ == &communicator && tag_ == tag;
  }
  void add(int sender, MpiConsumer& consumer) { consumers_[sender] = &consumer; }
  void remove(int sender) { consumers_.erase(sender); }
  // Starts to receive what has been announced, for all, unless another consumer had that done since this one
  // last asked. `seen`: the consumer's own, to begin with 0. What has no room is only taken for the one that
  // asks.
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
