// How one server, the root, learns that all servers have nothing to do and that no message is under way
// between them: the four counters of F. Mattern ("Algorithms for distributed termination detection",
// Distributed Computing 2, 1987), gathered along a tree.
//
// Each server that is at rest tells how many of the counted messages it has sent and handled; the sums go up
// the tree. Where both sums are equal the root asks once more, and each server answers, behind those below
// it. The numbers only grow: if all are still at rest and the sums are the same, so is each number, and
// nothing was under way when the root asked. A single round proves nothing: it may count a message as handled
// that it did not count as sent, and miss another.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "messaging/collectives/tree_place.hpp"
#include "messaging/messenger.hpp"

namespace tailrace::messaging {

// Communication thread only.
class QuiescenceDetector {
 public:
  struct Kinds {
    std::int32_t resting, look;               // of its own messages
    std::int32_t first_counted, end_counted;  // those that it counts, without its own
  };
  struct Events {
    std::function<bool()> at_rest;   // this server has nothing to do
    std::function<void()> all_rest;  // on the root, once after each begin()
  };
  // `root`: the same on all servers. The messenger must live longer.
  QuiescenceDetector(Messenger& messenger, Kinds kinds, int root, Events events);
  QuiescenceDetector(const QuiescenceDetector&) = delete;
  QuiescenceDetector& operator=(const QuiescenceDetector&) = delete;

  void begin();     // on each server, before any message of those below it
  bool progress();  // tells that this server is at rest; true if it did
  void end();       // nothing is told any more

 private:
  struct Count {
    std::uint64_t sent = 0, handled = 0;
    bool operator==(const Count&) const = default;
  };
  using Counts = std::optional<Count>;  // none: a server is not at rest, as far as is known
  void hear(int from, const Bytes& message);
  void on_look();
  void take_answer();
  void pass_on();
  void look_if_equal();
  void tell_parent(bool answers, const Counts& sum);
  Count own_count() const;
  Counts sum() const;

  Messenger& messenger_;
  Kinds kinds_;
  TreePlace place_;
  Events events_;
  bool active_ = false;
  std::vector<Counts> counts_;  // by source
  Counts told_;                 // to the parent; of the root: what it asked about
  std::size_t awaited_ = 0;     // answers to the look under way
};

}  // namespace tailrace::messaging
