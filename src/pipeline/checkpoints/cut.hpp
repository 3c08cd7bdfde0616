// One moment at which all servers of a component have done all that the steps up to a checkpoint's asked for,
// and nothing of any later one: then each saves what it holds, and goes on.
//
// The servers come to the step one after the other, and messages are under way between them. So each tells
// the leader, whenever it has nothing to do, how many messages of the component it has sent and handled.
// Where the sums are equal the leader asks once more: if every server still rests and its numbers are the
// same, nothing was under way between the two looks, and nothing can begin before they go on.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/block.hpp"
#include "pipeline/words.hpp"

namespace tailrace::pipeline::checkpoints {

// Communication thread only.
class Cut {
 public:
  struct Events {
    std::function<void(const model::Tick&, const messaging::Bytes& values)> begin;  // on every server
    std::function<bool()> at_rest;  // nothing is to be done here for the steps up to the cut
    std::function<void()> save;     // all servers rest
  };
  // `leader`: the server that announces the steps. `words` must live longer.
  Cut(Words& words, int leader, Events events);

  // This server's clients stand at the step. On the leader, with the model's values.
  void ask(const model::Tick& tick, std::span<const std::byte> values);
  // `may_begin`: the checkpoint before is over; asked on the leader alone.
  bool progress(bool may_begin);
  void give_up();

  // Not once all servers have saved.
  bool asked() const { return asked_.has_value(); }
  bool under_way() const { return asked_ || announced_; }
  const std::optional<model::Tick>& asked_at() const { return asked_; }
  const std::optional<model::Tick>& announced_at() const { return announced_; }

 private:
  struct Count {
    std::uint64_t sent = 0, handled = 0;
    bool operator==(const Count&) const = default;
  };
  struct Report {
    std::optional<Count> count;  // none: it does not rest, as far as the leader knows
    bool answered = false;       // the leader's look
  };
  void on_resting(int from, const messaging::Bytes& message);
  void on_look(std::int64_t round);
  void compare();
  void end_look();
  Count count() const;
  void tell_leader(std::int64_t round, std::optional<Count> count);
  bool is_leader() const { return words_.rank() == leader_; }

  Words& words_;
  int leader_;
  Events events_;
  std::optional<model::Tick> asked_, announced_;
  messaging::Bytes values_;      // on the leader, until it announces
  bool announced_here_ = false;  // by this server, the leader
  std::optional<Count> told_;    // to the leader
  bool saved_ = false;
  // Of the leader.
  std::vector<Report> reports_;  // by server
  std::int64_t round_ = 0;       // of the look under way; 0: none
  std::int64_t rounds_ = 0;
  bool unchanged_ = true;  // in this look
  int saved_servers_ = 0;
};

}  // namespace tailrace::pipeline::checkpoints
