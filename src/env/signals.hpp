// SIGTERM and SIGINT, by which a batch system or a user ends a job, and SIGUSR1, by which he asks for a
// checkpoint, as something that a loop can ask for.
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

// Takes SIGUSR1 while it lives, which would end the process otherwise. A handler of the program is left
// alone, and so is a signal that it ignores; one of the MPI library's is called too (MPICH has one). Of
// several in a process the first one takes it; all hear of it.
class CheckpointSignal {
 public:
  CheckpointSignal();
  ~CheckpointSignal();  // what was there before is there again
  CheckpointSignal(const CheckpointSignal&) = delete;
  CheckpointSignal& operator=(const CheckpointSignal&) = delete;

  int times() const;  // how often it came to this process; never less than before

 private:
  bool owns_ = false;
};

std::string name_of_signal(int number);  // SIGTERM
// Ends this process as the signal does that nobody takes; as SIGTERM for 0.
[[noreturn]] void end_by_signal(int number);

}  // namespace tailrace::env
