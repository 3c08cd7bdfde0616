// Messages from one server to all servers, itself included. No server sends to more than a few others.
#pragma once

#include <cstdint>
#include <functional>

#include "messaging/messenger.hpp"

namespace tailrace::messaging {

// Broadcasts from one root, the same on all servers, down the tree with that root at its top. The handler
// runs in progress(), on the root too. The broadcasts of one root arrive in the order in which it sends
// them, but are not ordered with its other messages. `from` is always the root. If a server is lost, the
// servers below it do not get the messages.
void on_broadcast(Messenger& messenger, std::int32_t kind, int root, Messenger::Handler handler);
void broadcast(Messenger& messenger, std::int32_t kind, const Bytes& message);  // on the root

// Broadcasts for which any server may be the root.
void on_broadcast_from_any(Messenger& messenger, std::int32_t kind,
                           std::function<void(const Bytes&)> handler);
void broadcast_from_any(Messenger& messenger, std::int32_t kind, const Bytes& message);

// Floods all servers with a message that counts once, although several servers may send it. Each server
// forwards the first copy to its neighbours in the tree, and drops later ones. If a server is lost, some
// servers may not get the message.
void on_flood_once(Messenger& messenger, std::int32_t kind, std::function<void(const Bytes&)> handler);
void flood(Messenger& messenger, std::int32_t kind, const Bytes& message);

}  // namespace tailrace::messaging
