// Ends the process of a stream when a call of ADIOS2 does not return: the server could wait indefinitely.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace tailrace::output::adios2::stream {

// Exit statuses of the process.
enum Ending { closed = 0, failed = 1, server_is_gone = 2, no_step_taken = 3, hangs = 4 };

// Calls of ADIOS2 that wait for readers are made between begin() and end(). One that lasts longer than
// taking_patience_seconds, or a few seconds without any reader, ends the process. The second is not the fault
// of a slow reader: ADIOS2 2.12 waits for an answer of one that has vanished.
class Watch {
 public:
  Watch();
  void begin();
  void end() { began_ = 0; }

 private:
  void look();

  std::atomic<std::int64_t> began_{0};  // nanoseconds of the steady clock; 0: no call is being made
  std::jthread thread_;
};

}  // namespace tailrace::output::adios2::stream
