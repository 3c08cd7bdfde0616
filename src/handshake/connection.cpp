#include "handshake/connection.hpp"

namespace tailrace::handshake {

void LocalEnds::leave(std::unique_ptr<transport::Consumer> consumer) {
  const std::lock_guard lock(mutex_);
  consumer_ = std::move(consumer);
}

std::unique_ptr<transport::Consumer> LocalEnds::take() {
  const std::lock_guard lock(mutex_);
  return std::move(consumer_);
}

}  // namespace tailrace::handshake
