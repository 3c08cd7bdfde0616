// The queue between the workers, which produce messages for other servers, and the communication thread,
// which sends them. Bundles small messages to the same server into few large ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "messaging/messenger.hpp"

namespace tailrace::pipeline::routing {

class Outbox {
 public:
  using Handler = std::function<void(const base::SharedBytes& item)>;
  using Write = std::function<void(std::span<std::byte>)>;

  // Uses the messenger's `bundle_kind` on all servers. Handlers, by kind of item, are called on the
  // communication thread with bytes that they may keep.
  Outbox(messaging::Messenger& messenger, std::int32_t bundle_kind);

  void on(std::int32_t kind, Handler handler);
  // From any thread. The item consists of a copy of `head`, followed by `bytes` bytes that `write` fills
  // during the call.
  void add(int to, std::int32_t kind, std::span<const std::byte> head, std::size_t bytes, const Write& write);
  // Communication thread: sends the bundles that are large enough, or all. True if something was sent.
  bool send(bool all);
  std::size_t bytes() const;  // waiting here

 private:
  void unpack(const base::SharedBytes& bundle) const;

  static constexpr std::size_t worth_sending = std::size_t{1} << 20;
  static constexpr std::size_t worth_alone = std::size_t{64} << 10;  // larger items are sent unbundled
  messaging::Messenger& messenger_;
  std::int32_t bundle_kind_;
  std::map<std::int32_t, Handler> handlers_;
  struct Alone {
    int to;
    base::Slab message;
  };
  mutable std::mutex mutex_;                 // guards bundles_ and alone_
  std::map<int, messaging::Bytes> bundles_;  // by server
  std::vector<Alone> alone_;
};

}  // namespace tailrace::pipeline::routing
