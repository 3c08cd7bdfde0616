#include "server/resources/shared_memory_account.hpp"

namespace tailrace::server {
namespace {

// Fractions of a server's memory.
constexpr std::size_t arrival_share = 8;
constexpr std::size_t message_share = 8;

}  // namespace

SharedMemoryAccount::SharedMemoryAccount(std::size_t memory, telemetry::MemoryAccount& account)
    : arrivals_(memory / arrival_share), most_unprocessed_(memory / message_share), held_(account) {}

void SharedMemoryAccount::count(messaging::Messenger& messenger) {
  held_.set(telemetry::MemoryKind::arrivals, arrivals_.bytes());
  held_.set(telemetry::MemoryKind::messages, messenger.bytes_in_flight() + messenger.bytes_arriving());
  held_.set(telemetry::MemoryKind::reuse, messenger.slabs().kept());
}

}  // namespace tailrace::server
