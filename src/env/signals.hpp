// Signals as flags that a loop can poll: SIGTERM and SIGINT, with which a batch system or a user ends a job,
// and SIGUSR1, with which a user requests a checkpoint.
#pragma once

#include <string>

namespace tailrace::env {

// The behaviour if the program has its own handler. A signal that it ignores stays ignored.
enum class OwnHandler {
  called_too,  // for a dedicated server process, whose program polls no flag meanwhile
  left_alone   // for a model's process: only the program's handler gets the signal
};

// Handles the two signals while it exists; if a process has several such objects, the first one does. The
// handler only sets a flag, which can be polled on any thread: almost nothing else is allowed in a signal
// handler. Without such an object the signals end the process, as usual.
class StopSignals {
 public:
  explicit StopSignals(OwnHandler own);
  ~StopSignals();  // restores the previous handlers
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int caught() const;  // the number of the first signal that came; 0: none

 private:
  bool owns_ = false;
};

// Handles SIGUSR1 while it exists; otherwise that signal would end the process. It does not replace a handler
// of the program, nor a signal that the program ignores; it also calls a handler of the MPI library (MPICH
// has one). If a process has several such objects, the first one handles the signal, and all count it.
class CheckpointSignal {
 public:
  CheckpointSignal();
  ~CheckpointSignal();  // restores the previous handler
  CheckpointSignal(const CheckpointSignal&) = delete;
  CheckpointSignal& operator=(const CheckpointSignal&) = delete;

  int times() const;  // how often it came to this process; never decreases

 private:
  bool owns_ = false;
};

std::string name_of_signal(int number);  // SIGTERM
// Ends this process like the unhandled signal `number`; 0: SIGTERM.
[[noreturn]] void end_by_signal(int number);

}  // namespace tailrace::env
