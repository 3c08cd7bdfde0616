// Messages of one server to all servers, itself included, that no server has to send to more than a few.
#pragma once

#include <cstdint>
#include <functional>

#include "messaging/messenger.hpp"

namespace tailrace::messaging {

// Broadcasts of one root, the same on all servers, down the tree with that root at its top. The root's own
// handler runs in its next progress, as on the other servers. The broadcasts of one root arrive in the order
// in which it sends them, and are not ordered with its other messages. `from` is the root wherever they
// arrive. The loss of a server keeps the messages from those below it.
void on_broadcast(Messenger& messenger, std::int32_t kind, int root, Messenger::Handler handler);
void broadcast(Messenger& messenger, std::int32_t kind, const Bytes& message);  // on the root

// The same where any server may be the root.
void on_broadcast_from_any(Messenger& messenger, std::int32_t kind,
                           std::function<void(const Bytes&)> handler);
void broadcast_from_any(Messenger& messenger, std::int32_t kind, const Bytes& message);

// Flood, for what counts once although several servers may send it: each server forwards the first copy that
// it receives to its neighbours in the tree, and drops later ones. The loss of a server may keep it from
// some.
void on_flood_once(Messenger& messenger, std::int32_t kind, std::function<void(const Bytes&)> handler);
void flood(Messenger& messenger, std::int32_t kind, const Bytes& message);

}  // namespace tailrace::messaging
