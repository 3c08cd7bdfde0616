#include "messaging/messenger.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::messaging {
namespace {

// The kind travels behind the bytes (so none of them has to move), and one tag keeps the messages of a pair
// in order.
constexpr int message_tag = 11;

}  // namespace

struct Messenger::Outgoing {
  int to = 0;
  base::SharedBytes message;
  std::unique_ptr<comm::Request> request;
};

struct Messenger::Arriving {
  int from = 0;
  base::Slab message;
  std::unique_ptr<comm::Request> request;
};

namespace {

// MPI may still use the memory of an incomplete message, so the memory is not freed: destroying the request
// would wait for the other side, which may be gone.
template <class Message>
void give_up(std::unique_ptr<Message>& message) {
  const bool mpi_is_over = comm::thread_level() == comm::ThreadLevel::none;
  if (!mpi_is_over && message->request && !message->request->done()) static_cast<void>(message.release());
}

template <class Messages, class Concerned>
void give_up_where(Messages& messages, Concerned concerned) {
  for (auto& message : messages)
    if (concerned(*message)) give_up(message);
  std::erase_if(messages, [&](const auto& message) { return !message || concerned(*message); });
}

}  // namespace

Messenger::Messenger(comm::Communicator& communicator)
    : communicator_(communicator), forgotten_(static_cast<std::size_t>(communicator.size()), 0) {}

Messenger::~Messenger() {
  try {
    for (auto& message : outgoing_) give_up(message);
    for (auto& message : arriving_) give_up(message);
  } catch (...) {  // MPI is out of order; the requests wait in their own destructors
  }
}

void Messenger::forget(int rank) {
  forgotten_[base::index(rank)] = 1;
  give_up_where(outgoing_, [rank](const Outgoing& message) { return message.to == rank; });
  give_up_where(arriving_, [rank](const Arriving& message) { return message.from == rank; });
  bytes_in_flight_ = bytes_arriving_ = 0;
  for (const auto& message : outgoing_) bytes_in_flight_ += message->message.size();
  for (const auto& message : arriving_) bytes_arriving_ += message->message.size();
}

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
  ++traffic_[kind].sent;
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
  ++traffic_[kind].sent;
  const std::size_t size = message.size() - tail_bytes;
  if (to == rank()) {
    local_.push_back({rank(), kind, base::SharedBytes(std::move(message)).part(0, size)});
    return;
  }
  std::memcpy(message.data() + size, &kind, sizeof kind);
  start_send(to, std::move(message));
}

void Messenger::start_send(int to, base::SharedBytes message) {
  if (forgotten_[base::index(to)]) return;
  auto outgoing = std::make_unique<Outgoing>();
  outgoing->to = to;
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
  start_to_receive();
  return handle_arrived() || moved;
}

void Messenger::start_to_receive() {
  while (has_room_()) {
    const auto incoming = communicator_.probe(comm::any, message_tag);
    if (!incoming) return;
    auto arriving = std::make_unique<Arriving>();
    arriving->from = incoming->source;
    arriving->message = slabs_.take(incoming->bytes);
    arriving->request =
        communicator_.start_receive(arriving->message.bytes(), incoming->source, incoming->tag);
    if (forgotten_[base::index(incoming->source)]) {
      give_up(arriving);
      continue;
    }
    bytes_arriving_ += incoming->bytes;
    arriving_.push_back(std::move(arriving));
  }
}

// The messages of one sender are handled in order, but none waits for a large message of another sender.
bool Messenger::handle_arrived() {
  bool moved = false;
  std::vector<int> behind;  // senders whose next message is not through
  for (std::size_t i = 0; i < arriving_.size() && !early_due_;) {
    const int from = arriving_[i]->from;
    const bool waits = std::find(behind.begin(), behind.end(), from) != behind.end();
    if (waits || !arriving_[i]->request->done()) {
      if (!waits) behind.push_back(from);
      ++i;
      continue;
    }
    base::Slab message = std::move(arriving_[i]->message);
    bytes_arriving_ -= message.size();
    arriving_.erase(arriving_.begin() + static_cast<std::ptrdiff_t>(i));
    TAILRACE_ASSERT(message.size() >= tail_bytes, "a message without a kind");
    std::int32_t kind = 0;
    std::memcpy(&kind, message.data() + message.size() - tail_bytes, sizeof kind);
    const std::size_t size = message.size() - tail_bytes;
    handle(from, kind, base::SharedBytes(std::move(message)).part(0, size));
    moved = true;
  }
  return moved;
}

void Messenger::handle(int from, std::int32_t kind, base::SharedBytes message) {
  const auto handler = handlers_.find(kind);
  if (handler == handlers_.end()) {
    early_[kind].push_back({from, std::move(message)});
    return;
  }
  ++traffic_[kind].handled;
  handler->second(from, std::move(message));
}

Messenger::Traffic Messenger::traffic(std::int32_t first_kind, std::int32_t end_kind) const {
  Traffic all;
  for (std::int32_t kind = first_kind; kind < end_kind; ++kind) {
    const auto found = traffic_.find(kind);
    if (found == traffic_.end()) continue;
    all.sent += found->second.sent;
    all.handled += found->second.handled;
  }
  return all;
}

bool Messenger::idle() const { return outgoing_.empty() && arriving_.empty() && local_.empty(); }

}  // namespace tailrace::messaging
