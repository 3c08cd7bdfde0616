// How many steps of a dataset that is streamed to readers, and not written to disk, were delivered or lost.
#pragma once

#include <cstdint>

namespace tailrace::output {

struct StreamCounts {
  std::uint64_t handed_over = 0;  // passed on while a reader was connected
  std::uint64_t unread = 0;       // produced while no reader was connected
  std::uint64_t discarded = 0;    // dropped because readers were too slow
  std::uint64_t lost = 0;         // lost because the streaming process had ended
  std::uint64_t restarts = 0;     // of the streaming process

  bool operator==(const StreamCounts&) const = default;
  StreamCounts& operator+=(const StreamCounts& more) {
    handed_over += more.handed_over;
    unread += more.unread;
    discarded += more.discarded;
    lost += more.lost;
    restarts += more.restarts;
    return *this;
  }
};

// The interface of a dataset that counts its steps.
class CountsSteps {
 public:
  virtual ~CountsSteps() = default;
  virtual StreamCounts stream_counts() const = 0;
};

}  // namespace tailrace::output
