#include "analytics/engine/background.hpp"

#include <utility>

namespace tailrace::analytics::engine {

void Background::run(std::function<void()> work, std::function<void()> then, bool light) {
  submit_(
      [this, work = std::move(work), then = std::move(then)] {
        work();
        const base::MutexLock lock(mutex_);
        posted_.push_back(then);
      },
      light);
}

bool Background::progress() {
  std::vector<std::function<void()>> posted;
  {
    const base::MutexLock lock(mutex_);
    posted.swap(posted_);
  }
  for (const auto& next : posted) next();
  return !posted.empty();
}

}  // namespace tailrace::analytics::engine
