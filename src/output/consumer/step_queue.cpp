#include "output/consumer/step_queue.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "env/clock.hpp"

namespace tailrace::output::consumer {

StepQueue::StepQueue(std::vector<std::string> command, const QueueLimits& limits)
    : child_(std::in_place, std::move(command)), limits_(limits) {}

StepQueue::Room StepQueue::look_for_room() {
  take_answers(0.0);
  const auto is_full = [this] { return is_open() && waiting_.size() >= limits_.steps; };
  if (limits_.waits)
    for (const double end = env::steady_seconds() + limits_.patience;
         is_full() && env::steady_seconds() < end;)
      take_answers(1.0);
  if (child_ && !child_->is_heard()) lose_process();
  if (!is_open()) return Room::closed;
  if (!is_full()) return Room::free;
  if (!std::exchange(has_warned_, true)) base::log_warning(warning_when_full());
  return Room::full;
}

void StepQueue::hand_over(std::uint64_t number, const std::function<bool(Waiting& step)>& send) {
  waiting_.push_back({.number = number});
  try {
    if (!send(waiting_.back())) lose_process();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::resource) throw;
    waiting_.pop_back();
    refused(error);
  }
}

void StepQueue::take_answers(double seconds) {
  while (child_) {
    const auto answer = child_->receive(std::exchange(seconds, 0.0));
    if (!answer) return;
    answered(*answer);
  }
}

bool StepQueue::finish(const std::string& last_message, double patience, bool renews) {
  child_->send(last_message);
  take_answers(0.0);
  std::size_t left = waiting_.size();
  for (double end = env::steady_seconds() + patience; is_open();) {
    take_answers(std::clamp(end - env::steady_seconds(), 0.0, 0.5));
    if (renews && waiting_.size() < left) end = env::steady_seconds() + patience;
    left = waiting_.size();
    if (env::steady_seconds() >= end) return !is_open();
  }
  return true;
}

void StepQueue::lose_process() {
  if (!std::exchange(has_ended_, true)) ended(child_->ending());
}

}  // namespace tailrace::output::consumer
