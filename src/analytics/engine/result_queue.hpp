// A reorder buffer: steps finish in any order, and their results and failures are passed on in the order of
// rounds.
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

// Used on the communication thread.
class ResultQueue {
 public:
  explicit ResultQueue(std::function<void(FinishedStep&&)> done) : done_(std::move(done)) {}

  std::int64_t next_round() { return rounds_++; }

  // Passes on all results that are next in order.
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
  std::int64_t rounds_ = 0;  // number of rounds begun
  std::int64_t turn_ = 0;    // the round whose results are next
  std::map<std::int64_t, FinishedStep> waiting_;
};

}  // namespace tailrace::analytics::engine
