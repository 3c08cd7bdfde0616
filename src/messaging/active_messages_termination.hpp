// Proves that all servers have ended and no message is under way, by the four counters of F. Mattern
// ("Algorithms for distributed termination detection", Distributed Computing 2, 1987). Server 0
// asks all for the number of messages they have sent and received; each answers once it has nothing left to
// do. Only when two rounds, one wholly after the other, find the same numbers, and as many received as sent,
// has nothing moved in between and nothing can move any more. A single round proves nothing: it may see a
// message received that it did not see sent, and miss another.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "messaging/active_messages_post.hpp"

namespace tailrace::messaging {

class Termination {
 public:
  // `passive`: this server can do nothing more unless a message comes. `unmatched`: what is left here, one a
  // line.
  Termination(Post& post, std::function<bool()> passive, std::function<std::string()> unmatched);

  void hear(int from, wire::MessageKind kind, std::span<const std::byte> content);
  bool progress();                            // true if anything moved
  std::optional<std::string> take_verdict();  // once: what is left anywhere
  bool proven() const { return phase_ == Phase::over; }

 private:
  struct Counts {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    bool operator==(const Counts&) const = default;
  };
  enum class Phase { waiting, counting, listing, over };
  Counts own() const { return {post_.sent(), post_.received()}; }
  void ask(wire::MessageKind kind);
  void conclude();
  void add_unmatched(std::span<const std::byte> lines);
  void judge();

  Post& post_;
  std::function<bool()> passive_;
  std::function<std::string()> unmatched_;
  Phase phase_ = Phase::waiting;
  bool asked_ = false;  // an answer is owed
  // On server 0:
  int awaited_ = 0;  // answers
  Counts counts_;
  std::optional<Counts> before_;  // of the round before
  std::set<std::string> lines_;
  std::optional<std::string> verdict_;
};

}  // namespace tailrace::messaging
