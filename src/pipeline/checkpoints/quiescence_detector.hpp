// How one server, the root, learns that all servers have nothing to do and that nothing is under way between
// them.
//
// Each server that rests tells how many messages of the component it has sent and handled; the sums go up a
// tree. Where both are equal the root asks once more, and each server answers, behind those below it. The
// numbers only grow: if all still rest and the sums are the same, so is each number, and nothing was under
// way when the root asked.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "pipeline/control/control_channel.hpp"
#include "pipeline/control/tree_place.hpp"

namespace tailrace::pipeline::checkpoints {

// Communication thread only.
class QuiescenceDetector {
 public:
  struct Events {
    std::function<bool()> at_rest;   // this server has nothing to do
    std::function<void()> all_rest;  // on the root, once after each begin()
  };
  // `messages` must live longer.
  QuiescenceDetector(ControlChannel& control, int root, Events events);
  QuiescenceDetector(const QuiescenceDetector&) = delete;
  QuiescenceDetector& operator=(const QuiescenceDetector&) = delete;

  void begin();     // on each server, before any message of those below it
  bool progress();  // tells that this server rests; true if it did
  void end();       // nothing is told any more

 private:
  struct Count {
    std::uint64_t sent = 0, handled = 0;
    bool operator==(const Count&) const = default;
  };
  using Counts = std::optional<Count>;  // none: somebody does not rest, as far as is known
  void hear(int from, const messaging::Bytes& message);
  void on_look();
  void take_answer();
  void pass_on();
  void look_if_equal();
  void tell_parent(bool answers, const Counts& sum);
  Count own_count() const;
  Counts sum() const;

  ControlChannel& control_;
  TreePlace place_;
  Events events_;
  bool active_ = false;
  std::vector<Counts> counts_;  // by source
  Counts told_;                 // to the parent; of the root: what it asked about
  std::size_t awaited_ = 0;     // answers to the look under way
};

}  // namespace tailrace::pipeline::checkpoints
