// SIGTERM and SIGINT, by which a batch system or a user ends a job, as something that a loop can ask for.
#pragma once

#include <string>

namespace tailrace::env {

// What is done where the program has a handler of its own. A signal that it ignores stays ignored.
enum class OwnHandler {
  called_too,  // of a process that does nothing but serve: its program looks at no flag meanwhile
  left_alone   // of a model's process: that handler alone gets the signal
};

// Takes the two signals while it lives; of several in a process the first one does. The handler does nothing
// but note the signal: whoever has work to finish asks for it, on a thread of his own choice. Without such an
// object they end the process, as ever.
class StopSignals {
 public:
  explicit StopSignals(OwnHandler own);
  ~StopSignals();  // what was there before is there again
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int caught() const;  // the number of the first one that came; 0: none

 private:
  bool owns_ = false;
};

std::string name_of_signal(int number);  // SIGTERM
// Ends this process as the signal does that nobody takes; as SIGTERM for 0.
[[noreturn]] void end_by_signal(int number);

}  // namespace tailrace::env
