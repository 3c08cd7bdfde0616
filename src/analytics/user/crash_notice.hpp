// Names the user-defined operator in which a process crashes.
#pragma once

#include <string>

namespace tailrace::analytics::user {

// While an object exists, a crash of the process (a memory fault, an abort, ...) writes `what` to stderr, and
// then the process ends as it would have without it. The process does not continue, since code that has
// written to foreign memory leaves nothing that can be trusted. The crash may be on any thread, since the
// user's code may have its own threads. The first object installs the signal handlers, which remain. Costs
// some ten nanoseconds.
class CrashNotice {
 public:
  explicit CrashNotice(const std::string& what);
  ~CrashNotice();
  CrashNotice(const CrashNotice&) = delete;
  CrashNotice& operator=(const CrashNotice&) = delete;

 private:
  int slot_;
};

}  // namespace tailrace::analytics::user
