// The last words of a process that crashes in code of a user's.
#pragma once

#include <string>

namespace tailrace::analytics::user {

// While it lives, a crash of the process (a memory fault, an abort, ...) writes `what` to stderr before the
// process ends as it would have ended: code that has written where it must not leaves nothing behind that
// could be trusted, so that nothing goes on. On any thread, since the user's code may have threads of its
// own. The first one made puts the handlers in place, which stay. Some ten nanoseconds.
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
