#include "base/logged_warnings.hpp"

#include "base/thread_safety.hpp"

namespace tailrace::base {
namespace {

constexpr std::size_t longest = 500;  // bytes

class WarningList {
 public:
  LoggedWarnings copy() TAILRACE_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return warnings_;
  }

  void add(std::string_view message) TAILRACE_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    ++warnings_.count;
    if (warnings_.last.size() == logged_warnings_kept) warnings_.last.erase(warnings_.last.begin());
    warnings_.last.emplace_back(message.substr(0, longest));
  }

 private:
  Mutex mutex_;
  LoggedWarnings warnings_ TAILRACE_GUARDED_BY(mutex_);
};

// It is never destroyed: threads may log while the process ends.
WarningList& list() {
  static auto* const instance = new WarningList;
  return *instance;
}

}  // namespace

LoggedWarnings logged_warnings() { return list().copy(); }

void remember_warning(std::string_view message) { list().add(message); }

}  // namespace tailrace::base
