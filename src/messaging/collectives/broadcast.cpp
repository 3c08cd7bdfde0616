#include "messaging/collectives/broadcast.hpp"

#include <algorithm>
#include <utility>

#include "base/bytes.hpp"
#include "messaging/collectives/tree_place.hpp"

namespace tailrace::messaging {
namespace {

void send_down(Messenger& messenger, std::int32_t kind, int root, const Bytes& message) {
  for (const int child : TreePlace(messenger.rank(), messenger.size(), root).children)
    messenger.send(child, kind, Bytes(message));
}

}  // namespace

void on_broadcast(Messenger& messenger, std::int32_t kind, int root, Messenger::Handler handler) {
  messenger.on(kind, [&messenger, kind, root, handler = std::move(handler)](int, Bytes&& message) {
    if (messenger.rank() != root) send_down(messenger, kind, root, message);
    handler(root, std::move(message));
  });
}

void broadcast(Messenger& messenger, std::int32_t kind, const Bytes& message) {
  send_down(messenger, kind, messenger.rank(), message);
  messenger.send(messenger.rank(), kind, Bytes(message));
}

// The message begins with the number of the root.
void on_broadcast_from_any(Messenger& messenger, std::int32_t kind,
                           std::function<void(const Bytes&)> handler) {
  messenger.on(kind, [&messenger, kind, handler = std::move(handler)](int, Bytes&& message) {
    base::ByteReader reader(message);
    const auto root = reader.get<std::int32_t>();
    TAILRACE_ASSERT(root >= 0 && root < messenger.size(), "a broadcast of one of the servers");
    if (messenger.rank() != root) send_down(messenger, kind, root, message);
    const auto rest = reader.rest();
    handler({rest.begin(), rest.end()});
  });
}

void broadcast_from_any(Messenger& messenger, std::int32_t kind, const Bytes& message) {
  base::ByteWriter writer;
  writer.put(static_cast<std::int32_t>(messenger.rank()));
  writer.put_bytes(message);
  broadcast(messenger, kind, writer.take());
}

void on_flood_once(Messenger& messenger, std::int32_t kind, std::function<void(const Bytes&)> handler) {
  messenger.on(kind, [&messenger, kind, heard = false, handler = std::move(handler)](
                         int from, Bytes&& message) mutable {
    if (std::exchange(heard, true)) return;
    const TreePlace place(messenger.rank(), messenger.size());
    const auto forward = [&](int to) {
      if (to >= 0 && to != from) messenger.send(to, kind, Bytes(message));
    };
    forward(place.parent);
    std::ranges::for_each(place.children, forward);
    handler(message);
  });
}

void flood(Messenger& messenger, std::int32_t kind, const Bytes& message) {
  messenger.send(messenger.rank(), kind, Bytes(message));
}

}  // namespace tailrace::messaging
