// Steps finish in any order; their results, and what failed in them, leave in the order of rounds.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "analytics/engine.hpp"

namespace tailrace::analytics::engine {

struct FinishedStep {
  StepResults results;
  std::vector<Failure> failures;
};

// On the communication thread.
class ResultQueue {
 public:
  explicit ResultQueue(std::function<void(FinishedStep&&)> done) : done_(std::move(done)) {}

  std::int64_t next_round() { return rounds_++; }

  // Gives out all whose turn it is.
  void add(std::int64_t round, FinishedStep&& step) {
    waiting_[round] = std::move(step);
    while (!waiting_.empty() && waiting_.begin()->first == turn_) {
      done_(std::move(waiting_.begin()->second));
      waiting_.erase(waiting_.begin());
      ++turn_;
    }
  }

 private:
  std::function<void(FinishedStep&&)> done_;
  std::int64_t rounds_ = 0;  // begun so far
  std::int64_t turn_ = 0;    // whose results come next
  std::map<std::int64_t, FinishedStep> waiting_;
};

}  // namespace tailrace::analytics::engine
