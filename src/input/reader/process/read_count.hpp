// How many bytes this process has taken from files.
#pragma once

#include <cstdint>
#include <optional>

namespace tailrace::input::process {

class ReadCount {
 public:
  ReadCount();  // begins to count
  // Since the construction, by calls such as read() and pread(), whether the system had them in memory or
  // not. Nothing if the system does not count (proc_pid_io(5), rchar). Call it once.
  std::optional<std::uint64_t> bytes() const;

 private:
  std::optional<std::uint64_t> begin_;
};

}  // namespace tailrace::input::process
