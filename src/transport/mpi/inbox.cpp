#include "transport/mpi/inbox.hpp"

#include "base/error.hpp"
#include "transport/mpi/mpi_consumer.hpp"

namespace tailrace::transport::mpi {

void Inbox::look(int sender, std::uint64_t& seen) {
  if (seen == looks_) {
    ++looks_;
    look_at_all();
  }
  seen = looks_;
  MpiConsumer& asking = *consumers_.at(sender);
  if (asking.waits_for_room()) look_at(sender, asking, true);
}

// A message for which there is no room yet hides later ones from a probe of all senders.
void Inbox::look_at_all() {
  while (const auto incoming = communicator_.probe(comm::any, tag_)) {
    const auto consumer = consumers_.find(incoming->source);
    TAILRACE_ASSERT(consumer != consumers_.end(), "a packet from a rank that is no client of this server");
    if (consumer->second->start_receiving(*incoming, false)) continue;
    for (const auto& [sender, each] : consumers_) look_at(sender, *each, false);
    return;
  }
}

void Inbox::look_at(int sender, MpiConsumer& consumer, bool asked) {
  while (const auto incoming = communicator_.probe(sender, tag_))
    if (!consumer.start_receiving(*incoming, asked)) return;
}

}  // namespace tailrace::transport::mpi
