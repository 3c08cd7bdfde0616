// Signals as flags that a loop can poll: SIGTERM, SIGINT and a signal of choice, with which a batch system or
// a user ends a job; SIGCONT, which comes before SIGTERM; and SIGUSR1, with which a user requests a
// checkpoint.
#pragma once

#include <string>
#include <vector>

namespace tailrace::env {

// The behaviour if the program has its own handler. A signal that it ignores stays ignored.
enum class OwnHandler {
  called_too,  // for a dedicated server process, whose program polls no flag meanwhile
  left_alone   // for a model's process: only the program's handler gets the signal
};

// Handles the given signals while it exists; if a process has several such objects, the first one does. The
// handler only sets a flag, which can be polled on any thread: almost nothing else is allowed in a signal
// handler. Without such an object the signals end the process, as usual. It also calls a handler of the MPI
// library (MPICH has one for SIGUSR1).
class StopSignals {
 public:
  StopSignals(OwnHandler own, const std::vector<int>& numbers);
  // Restores the previous handlers of SIGTERM and SIGINT. Other signals continue to be ignored, so that one
  // that comes late does not end a process whose run is over.
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int caught() const;  // the number of the first signal that came; 0: none

 private:
  bool owns_ = false;
};

// Counts a signal while it exists; otherwise that signal would have its usual effect. It does not replace a
// handler of the program, nor a signal that the program ignores; it also calls a handler of the MPI library.
// If a process has several such objects of a signal, the first one handles it, and all count it.
class CountedSignal {
 public:
  explicit CountedSignal(int number);
  ~CountedSignal();  // restores the previous handler
  CountedSignal(const CountedSignal&) = delete;
  CountedSignal& operator=(const CountedSignal&) = delete;

  int times() const;  // how often it came to this process; never decreases

 private:
  int number_;
  bool owns_ = false;
};

// SIGUSR1: a checkpoint is requested.
class CheckpointSignal : public CountedSignal {
 public:
  CheckpointSignal();
};

// SIGCONT. Open MPI's mpirun sends it to all ranks at once when it gets SIGTERM or SIGINT, and SIGTERM only
// later, often together with SIGKILL; Slurm sends it before SIGTERM. So the end may be near. It also comes
// when a stopped job is continued.
class EndAnnouncement : public CountedSignal {
 public:
  EndAnnouncement();
};

// The number of the signal that the launcher of this job sends as the order to stop (the environment variable
// TAILRACE_STOP_SIGNAL, a name such as SIGUSR2, which `tailrace run` sets); 0: none.
int stop_signal_of_launcher();
int number_of_signal(const std::string& name);  // of SIGUSR2; 0: unknown
std::string name_of_signal(int number);         // SIGTERM
// Ends this process like the unhandled signal `number`; 0: SIGTERM.
[[noreturn]] void end_by_signal(int number);

}  // namespace tailrace::env
