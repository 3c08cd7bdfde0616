// Detects that all servers have nothing to do and that no message is under way between them, and reports it
// to one server, the root. The method is the four counters of F. Mattern ("Algorithms for distributed
// termination detection", Distributed Computing 2, 1987), gathered along a tree.
//
// Each server at rest reports how many of the counted messages it has sent and handled, and the sums move up
// the tree. If both sums are equal, the root asks all servers again, and each server answers once those
// below it have answered. The numbers never decrease: if all servers are still at rest and the sums have not
// changed, no single number has changed, so no message was under way when the root asked. One round alone
// proves nothing: it may count a message as handled that it did not count as sent, and miss another one that
// is under way.
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
    std::int32_t resting, look;               // kinds of its own messages
    std::int32_t first_counted, end_counted;  // the kinds that it counts, not including its own
  };
  struct Events {
    std::function<bool()> at_rest;   // this server has nothing to do
    std::function<void()> all_rest;  // on the root, once after each begin()
  };
  // `root`: the same on all servers. The messenger must live longer.
  QuiescenceDetector(Messenger& messenger, Kinds kinds, int root, Events events);
  QuiescenceDetector(const QuiescenceDetector&) = delete;
  QuiescenceDetector& operator=(const QuiescenceDetector&) = delete;

  void begin();     // on each server, before a message of a server below it arrives
  bool progress();  // reports that this server is at rest; true if it did
  void end();       // reports nothing from now on

 private:
  struct Count {
    std::uint64_t sent = 0, handled = 0;
    bool operator==(const Count&) const = default;
  };
  using Counts = std::optional<Count>;  // none: some server is not known to be at rest
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
  Counts told_;                 // last report to the parent; on the root: the sums it asked about
  std::size_t awaited_ = 0;     // missing answers to the current look
};

}  // namespace tailrace::messaging
