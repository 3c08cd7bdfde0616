#include "pipeline/routing/outbox.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace tailrace::pipeline::routing {
namespace {

struct ItemHead {
  std::int32_t kind = 0;
  std::int32_t unused = 0;
  std::int64_t bytes = 0;
};

// `place` has room for both heads and `bytes` bytes.
void write_item(std::byte* place, const ItemHead& item, std::span<const std::byte> head, std::size_t bytes,
                const Outbox::Write& write) {
  std::memcpy(place, &item, sizeof item);
  std::ranges::copy(head, place + sizeof item);
  write({place + sizeof item + head.size(), bytes});
}

}  // namespace

Outbox::Outbox(messaging::Messenger& messenger, std::int32_t bundle_kind)
    : messenger_(messenger), bundle_kind_(bundle_kind) {
  messenger_.on_shared(bundle_kind_, [this](int, const base::SharedBytes& bundle) { unpack(bundle); });
}

void Outbox::on(std::int32_t kind, Handler handler) { handlers_[kind] = std::move(handler); }

void Outbox::add(int to, std::int32_t kind, std::span<const std::byte> head, std::size_t bytes,
                 const Write& write) {
  const ItemHead item{kind, 0, static_cast<std::int64_t>(head.size() + bytes)};
  const std::size_t size = sizeof item + head.size() + bytes;
  if (bytes >= worth_alone) {
    base::Slab message = messenger_.slabs().take(size + messaging::Messenger::tail_bytes);
    write_item(message.data(), item, head, bytes, write);
    const std::lock_guard lock(mutex_);
    alone_.push_back({to, std::move(message)});
    return;
  }
  const std::lock_guard lock(mutex_);
  messaging::Bytes& bundle = bundles_[to];
  bundle.resize(bundle.size() + size);
  write_item(bundle.data() + bundle.size() - size, item, head, bytes, write);
}

bool Outbox::send(bool all) {
  std::map<int, messaging::Bytes> ready;
  std::vector<Alone> alone;
  {
    const std::lock_guard lock(mutex_);
    alone.swap(alone_);
    for (auto entry = bundles_.begin(); entry != bundles_.end();) {
      if (!all && entry->second.size() < worth_sending) {
        ++entry;
        continue;
      }
      ready.emplace(entry->first, std::move(entry->second));
      entry = bundles_.erase(entry);
    }
  }
  for (auto& [to, bundle] : ready) messenger_.send(to, bundle_kind_, std::move(bundle));
  for (Alone& next : alone) messenger_.send_slab(next.to, bundle_kind_, std::move(next.message));
  return !ready.empty() || !alone.empty();
}

std::size_t Outbox::bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t total = 0;
  for (const auto& [to, bundle] : bundles_) total += bundle.size();
  for (const Alone& next : alone_) total += next.message.size();
  return total;
}

void Outbox::unpack(const base::SharedBytes& bundle) const {
  for (std::size_t at = 0; at < bundle.size();) {
    ItemHead item;
    TAILRACE_ASSERT(bundle.size() - at >= sizeof item, "a bundle ends inside an item");
    std::memcpy(&item, bundle.data() + at, sizeof item);
    at += sizeof item;
    const auto bytes = static_cast<std::size_t>(item.bytes);
    TAILRACE_ASSERT(bundle.size() - at >= bytes, "a bundle ends inside an item");
    const auto handler = handlers_.find(item.kind);
    TAILRACE_ASSERT(handler != handlers_.end(), "an item of an unknown kind");
    handler->second(bundle.part(at, bytes));
    at += bytes;
  }
}

}  // namespace tailrace::pipeline::routing
