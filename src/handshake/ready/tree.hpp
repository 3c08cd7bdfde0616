// What many ranks say to each other, those of a component while they get ready and all of them in `start`: up
// a tree to the first rank, and down from it, so that none takes or sends more than a few messages, however
// many there are.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "comm/communicator.hpp"
#include "handshake/connection.hpp"
#include "messaging/collectives/tree_place.hpp"

namespace tailrace::handshake {

// Nothing here blocks. Each word begins with a fault or the lack of one (put_fault). A rank that cannot go on
// says so in both directions; what it would have said or passed on is then not waited for.
class Tree {
 public:
  struct Tags {
    int up = 1, down = 2;
  };
  explicit Tree(comm::Communicator& component);  // of all its ranks; it must live longer
  // Of these ranks of the communicator, ascending; all of them if there are none.
  Tree(comm::Communicator& communicator, Tags tags, std::vector<int> members);

  bool is_first() const { return place_.parent < 0; }
  std::size_t children() const { return place_.children.size(); }
  void up(std::vector<std::byte> word);
  void down(std::vector<std::byte> word);
  std::optional<std::vector<std::byte>> from_child(std::size_t child);
  std::optional<std::vector<std::byte>> from_parent();
  void give_up(const base::Fault& fault);
  std::vector<int> neighbours() const;  // above and below, as ranks of the communicator
  bool sent();                          // the others have taken over what was said

 private:
  int rank_of(int place) const;  // in the communicator

  comm::Communicator& component_;
  Tags tags_;
  std::vector<int> members_;
  messaging::TreePlace place_;
  std::vector<Sending> sendings_;
};

// The next word of a child.
std::vector<std::byte> hear_child(Tree& tree, std::size_t child, const std::function<void()>& meanwhile);
// Until what this rank said is taken over, or `seconds` have passed: who gave up takes nothing.
void settle(Tree& tree, double seconds);

// Until all ranks of the tree are through with something: `through` says it of this rank, does its part of
// it, and is called until all are. Gives the fault where the first rank says that there is one; throws the
// fault of another on the first rank.
std::optional<base::Fault> meet(Tree& tree, const std::function<bool()>& through,
                                const std::function<void()>& meanwhile);

}  // namespace tailrace::handshake
