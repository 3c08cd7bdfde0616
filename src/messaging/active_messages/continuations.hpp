// Runs what was to be done next, in the very call that completes an operation.
#pragma once

#include <deque>
#include <functional>
#include <utility>

namespace tailrace::messaging {

// A continuation may issue the next operation, which may complete at once and have a continuation too. They
// are nested in each other most_depth deep; further ones wait for progress(), so that a long chain of them
// does not use up the stack. At once and not always from progress(): most chains are short, and each turn of
// the loop would cost a step that much longer.
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

  // Those that wait now; what they defer in turn waits for the next call. True if there was one.
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
