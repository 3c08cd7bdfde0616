// Runs the continuation of an operation in the call that completes the operation.
#pragma once

#include <deque>
#include <functional>
#include <utility>

namespace tailrace::messaging {

// A continuation may issue another operation, which may complete at once and run its own continuation. At
// most most_depth of them are nested; further ones wait for progress(), so that a long chain does not
// exhaust the stack. Running all of them from progress() would be simpler, but most chains are short, and
// each turn of the loop would delay the step.
class Continuations {
 public:
  template <class Then, class Result>
  void run(Then&& then, Result&& result) {
    if (!then) return;
    if (depth_ >= most_depth) {
      deferred_.push_back(
          [this, then = std::forward<Then>(then), result = std::forward<Result>(result)]() mutable {
            run(std::move(then), std::move(result));
          });
      return;
    }
    const Within within(depth_);
    then(std::forward<Result>(result));
  }

  // Runs the continuations that wait now. Those that they defer wait for the next call. True if there was
  // one.
  bool run_deferred() {
    const std::size_t count = deferred_.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::function<void()> next = std::move(deferred_.front());
      deferred_.pop_front();
      next();
    }
    return count > 0;
  }

  bool inside() const { return depth_ > 0; }
  bool none() const { return depth_ == 0 && deferred_.empty(); }

 private:
  static constexpr int most_depth = 32;

  struct Within {
    explicit Within(int& depth) : depth_(depth) { ++depth_; }
    ~Within() { --depth_; }
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;

   private:
    int& depth_;
  };

  int depth_ = 0;
  std::deque<std::function<void()>> deferred_;
};

}  // namespace tailrace::messaging
