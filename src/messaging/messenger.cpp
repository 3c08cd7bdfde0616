#include "messaging/messenger.hpp"

#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace tailrace::messaging {
namespace {

// The kind travels behind the bytes (so none of them has to move), and one tag keeps the messages of a pair
// in order.
constexpr int message_tag = 11;

}  // namespace

struct Messenger::Outgoing {
  base::SharedBytes message;
  std::unique_ptr<comm::Request> request;
};

Messenger::Messenger(comm::Communicator& communicator) : communicator_(communicator) {}
Messenger::~Messenger() = default;

void Messenger::on(std::int32_t kind, Handler handler) {
  on_shared(kind, [handler = std::move(handler)](int from, const base::SharedBytes& message) {
    handler(from, message.copy());
  });
}

void Messenger::on_shared(std::int32_t kind, SharedHandler handler) {
  const bool added = handlers_.emplace(kind, std::move(handler)).second;
  TAILRACE_ASSERT(added, "a kind of message has one handler");
  const auto kept = early_.find(kind);
  if (kept == early_.end()) return;
  for (Kept& message : kept->second) local_.push_back({message.from, kind, std::move(message.message)});
  early_due_ = true;
  early_.erase(kept);
}

void Messenger::send(int to, std::int32_t kind, Bytes&& message) {
  if (to == rank()) {
    local_.push_back({rank(), kind, std::move(message)});
    return;
  }
  message.insert(message.end(), tail_bytes, std::byte{0});
  std::memcpy(message.data() + message.size() - tail_bytes, &kind, sizeof kind);
  start_send(to, std::move(message));
}

void Messenger::send_slab(int to, std::int32_t kind, base::Slab&& message) {
  TAILRACE_ASSERT(message.size() >= tail_bytes, "a message without room for its kind");
  const std::size_t size = message.size() - tail_bytes;
  if (to == rank()) {
    local_.push_back({rank(), kind, base::SharedBytes(std::move(message)).part(0, size)});
    return;
  }
  std::memcpy(message.data() + size, &kind, sizeof kind);
  start_send(to, std::move(message));
}

void Messenger::start_send(int to, base::SharedBytes message) {
  auto outgoing = std::make_unique<Outgoing>();
  outgoing->message = std::move(message);
  bytes_in_flight_ += outgoing->message.size();
  outgoing->request = communicator_.send(outgoing->message, to, message_tag);
  outgoing_.push_back(std::move(outgoing));
}

bool Messenger::progress() {
  bool moved = false;
  while (!outgoing_.empty() && outgoing_.front()->request->done()) {
    bytes_in_flight_ -= outgoing_.front()->message.size();
    outgoing_.pop_front();
    moved = true;
  }
  early_due_ = false;
  for (std::size_t waiting = local_.size(); waiting > 0; --waiting) {
    Local next = std::move(local_.front());
    local_.pop_front();
    handle(next.from, next.kind, std::move(next.message));
    moved = true;
  }
  if (size() == 1) return moved;
  while (!early_due_) {  // a handler may have set the handler of kept messages
    const auto incoming = communicator_.probe(comm::any, message_tag);
    if (!incoming) break;
    receive_one(*incoming);
    moved = true;
  }
  return moved;
}

void Messenger::receive_one(const comm::Incoming& incoming) {
  base::Slab message = slabs_.take(incoming.bytes);
  communicator_.receive(message.bytes(), incoming.source, incoming.tag);
  TAILRACE_ASSERT(message.size() >= tail_bytes, "a message without a kind");
  std::int32_t kind = 0;
  std::memcpy(&kind, message.data() + message.size() - tail_bytes, sizeof kind);
  handle(incoming.source, kind, base::SharedBytes(std::move(message)).part(0, incoming.bytes - tail_bytes));
}

void Messenger::handle(int from, std::int32_t kind, base::SharedBytes message) {
  const auto handler = handlers_.find(kind);
  if (handler == handlers_.end())
    early_[kind].push_back({from, std::move(message)});
  else
    handler->second(from, std::move(message));
}

bool Messenger::idle() const { return outgoing_.empty() && local_.empty(); }

}  // namespace tailrace::messaging
