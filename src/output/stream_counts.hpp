// What became of the steps of a dataset that goes to readers instead of to a disk.
#pragma once

#include <cstdint>

namespace tailrace::output {

struct StreamCounts {
  std::uint64_t handed_over = 0;  // while somebody was connected
  std::uint64_t unread = 0;       // while nobody was
  std::uint64_t discarded = 0;    // since readers took them too slowly
  std::uint64_t lost = 0;         // since the process that gives them to readers had ended
  std::uint64_t restarts = 0;     // of that process

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

// A dataset that has such steps.
class CountsSteps {
 public:
  virtual ~CountsSteps() = default;
  virtual StreamCounts stream_counts() const = 0;
};

}  // namespace tailrace::output
