// Accounts for the memory that a server holds for all of its components together: packets and messages that
// arrive, and memory kept for later ones.
#pragma once

#include <cstddef>

#include "messaging/messenger.hpp"
#include "telemetry/memory_account.hpp"
#include "transport/receive_budget.hpp"

namespace tailrace::server {

// Communication thread only.
class SharedMemoryAccount {
 public:
  // `memory`: of the server. `account` must live longer.
  SharedMemoryAccount(std::size_t memory, telemetry::MemoryAccount& account);

  transport::ReceiveBudget& arrivals() { return arrivals_; }  // of packets of clients
  // Whether messages of other servers may be received while `unprocessed` bytes of earlier ones are not
  // processed yet.
  bool has_room_for_messages(std::size_t unprocessed) const { return unprocessed <= most_unprocessed_; }
  void count(messaging::Messenger& messenger);

 private:
  transport::ReceiveBudget arrivals_;
  std::size_t most_unprocessed_;
  telemetry::HeldPart held_;
};

}  // namespace tailrace::server
