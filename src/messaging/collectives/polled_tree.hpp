// Messages along a tree of ranks that poll a communicator, used in `start` and `ready`. No rank sends or
// receives more than a few messages, at any number of ranks. MPI's collectives are not used, because a rank
// that dies inside one leaves the others blocked.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "comm/communicator.hpp"
#include "messaging/collectives/tree_place.hpp"
#include "messaging/sending.hpp"

namespace tailrace::messaging {

// No call blocks. Each message begins with put_fault(). A rank that gives up sends its fault in both
// directions, in place of the messages that it would have sent or forwarded.
class PolledTree {
 public:
  struct Tags {
    int up = 1, down = 2;
  };
  explicit PolledTree(comm::Communicator& component);  // a tree of all its ranks; must live longer
  // A tree of these ranks of the communicator, ascending; of all ranks if `members` is empty.
  PolledTree(comm::Communicator& communicator, Tags tags, std::vector<int> members);

  bool is_first() const { return place_.parent < 0; }
  std::size_t children() const { return place_.children.size(); }
  void up(std::vector<std::byte> message);
  void down(std::vector<std::byte> message);
  std::optional<std::vector<std::byte>> from_child(std::size_t child);
  std::optional<std::vector<std::byte>> from_parent();
  void give_up(const base::Fault& fault);
  std::vector<int> neighbours() const;  // parent and children, as ranks of the communicator
  bool sent();                          // all messages have been sent

 private:
  int rank_of(int place) const;  // in the communicator

  comm::Communicator& component_;
  Tags tags_;
  std::vector<int> members_;
  TreePlace place_;
  std::vector<Sending> sendings_;
};

// Waits for the next message of a child.
std::vector<std::byte> receive_from_child(PolledTree& tree, std::size_t child,
                                          const std::function<void()>& meanwhile);
// Waits until all messages have been sent, but `seconds` at most: a rank that gave up receives none.
void wait_until_sent(PolledTree& tree, double seconds);

// A barrier: returns when `is_done` has returned true on all ranks of the tree. Calls it until then, also
// after it has returned true, so that it can serve other ranks. Returns the fault that the first rank sent,
// if any; on the first rank throws the fault of another.
std::optional<base::Fault> barrier(PolledTree& tree, const std::function<bool()>& is_done,
                                   const std::function<void()>& meanwhile);

}  // namespace tailrace::messaging
