#include "transport/receive_budget.hpp"

#include <algorithm>

namespace tailrace::transport {

void ReceiveBudget::join() {
  const base::MutexLock lock(mutex_);
  ++consumers_;
}

void ReceiveBudget::leave() {
  const base::MutexLock lock(mutex_);
  --consumers_;
}

std::size_t ReceiveBudget::part() const {
  const base::MutexLock lock(mutex_);
  return half_ / std::max<std::size_t>(1, consumers_);
}

bool ReceiveBudget::take_large(std::size_t bytes) {
  const base::MutexLock lock(mutex_);
  if (large_ > 0 && large_ + bytes > half_) return false;
  large_ += bytes;
  return true;
}

void ReceiveBudget::give_large(std::size_t bytes) {
  const base::MutexLock lock(mutex_);
  large_ -= bytes;
}

void ReceiveBudget::held(std::size_t more, std::size_t less) {
  const base::MutexLock lock(mutex_);
  bytes_ += more;
  bytes_ -= less;
}

std::size_t ReceiveBudget::bytes() const {
  const base::MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace tailrace::transport
