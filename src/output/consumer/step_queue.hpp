// The steps of a dataset whose consumer is a child process: a bounded queue of those that were sent and are
// not done.
//
// A consumer may be slow, hang or die, and none of that may end the run. So a step that finds the queue full
// is discarded, or waits; one that the system cannot send is lost; and a process that has ended gets no
// further steps. The datasets that derive from this class define what the messages mean and what is
// counted. A process starts its own workers anew (adios2/stream/process, python/tailrace/in_situ), so it ends
// only when it gives up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "env/child.hpp"

namespace tailrace::output::consumer {

struct QueueLimits {
  std::size_t steps = 4;  // that may wait
  bool waits = false;     // whether a step waits while the queue is full, instead of being discarded
  double patience = std::numeric_limits<double>::infinity();  // seconds for which it waits
};

// One thread at a time.
class StepQueue {
 public:
  virtual ~StepQueue() = default;
  StepQueue(const StepQueue&) = delete;
  StepQueue& operator=(const StepQueue&) = delete;

 protected:
  enum class Room { free, full, closed };
  struct Waiting {
    std::uint64_t number = 0;
    std::size_t place = 0;  // where the sender holds its bytes, if it does
  };

  // Starts the process, with `{socket}` in the command as in env::Child. Throws Error(resource).
  StepQueue(std::vector<std::string> command, const QueueLimits& limits);

  // Takes answers, and waits for room if the limits say so. `closed`: the process takes no steps now.
  Room look_for_room();
  // Calls `send`, which returns false where the process has ended. A step that the system refuses leaves the
  // queue.
  void hand_over(std::uint64_t number, const std::function<bool(Waiting& step)>& send);
  // Passes on the answers that come within so many seconds; after the first one it does not wait for more.
  void take_answers(double seconds);
  // Sends the last message, and waits until the queue is closed. False when that took longer than the
  // patience, which begins again with each step that is done if `renews`.
  bool finish(const std::string& last_message, double patience, bool renews);
  void end_process() { child_.reset(); }  // kills it, unless it has ended

  // Whether the process takes steps.
  virtual bool is_open() const { return child_ && child_->is_heard(); }
  virtual void answered(const std::string& answer) = 0;
  // The process has ended, or no longer listens, before the last message. Called once.
  virtual void ended(const std::string& how) = 0;
  virtual void refused(const Error& error) = 0;       // the system cannot send a step
  virtual std::string warning_when_full() const = 0;  // logged once

  std::optional<env::Child> child_;
  std::deque<Waiting> waiting_;  // in the order in which they were sent

 private:
  void lose_process();

  const QueueLimits limits_;
  bool has_ended_ = false;
  bool has_warned_ = false;
};

}  // namespace tailrace::output::consumer
