#include "base/complaints.hpp"

#include "base/thread_safety.hpp"

namespace tailrace::base {
namespace {

constexpr std::size_t longest = 500;  // bytes

class ComplaintList {
 public:
  Complaints copy() TAILRACE_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return complaints_;
  }

  void add(std::string_view message) TAILRACE_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    ++complaints_.count;
    if (complaints_.last.size() == complaints_kept) complaints_.last.erase(complaints_.last.begin());
    complaints_.last.emplace_back(message.substr(0, longest));
  }

 private:
  Mutex mutex_;
  Complaints complaints_ TAILRACE_GUARDED_BY(mutex_);
};

// It is never destroyed: threads may log while the process ends.
ComplaintList& list() {
  static auto* const instance = new ComplaintList;
  return *instance;
}

}  // namespace

Complaints complaints() { return list().copy(); }

void add_complaint(std::string_view message) { list().add(message); }

}  // namespace tailrace::base
