#include "pipeline/routing/outbox.hpp"

#include <cstring>

#include "base/error.hpp"

namespace tailrace::pipeline::routing {
namespace {

struct ItemHead {
  std::int32_t kind = 0;
  std::int32_t unused = 0;
  std::int64_t bytes = 0;
};

void append(messaging::Bytes& bundle, std::span<const std::byte> bytes) {
  bundle.insert(bundle.end(), bytes.begin(), bytes.end());
}

}  // namespace

Outbox::Outbox(messaging::Messenger& messenger, std::int32_t bundle_kind)
    : messenger_(messenger), bundle_kind_(bundle_kind) {
  messenger_.on(bundle_kind_, [this](int, messaging::Bytes&& bundle) { unpack(bundle); });
}

void Outbox::on(std::int32_t kind, Handler handler) { handlers_[kind] = std::move(handler); }

void Outbox::add(int to, std::int32_t kind, std::span<const std::byte> head,
                 std::span<const std::byte> body) {
  const ItemHead item{kind, 0, static_cast<std::int64_t>(head.size() + body.size())};
  const std::lock_guard lock(mutex_);
  messaging::Bytes& bundle = bundles_[to];
  append(bundle, std::as_bytes(std::span(&item, 1)));
  append(bundle, head);
  append(bundle, body);
}

bool Outbox::send(bool all) {
  std::map<int, messaging::Bytes> ready;
  {
    const std::lock_guard lock(mutex_);
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
  return !ready.empty();
}

std::size_t Outbox::bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t total = 0;
  for (const auto& [to, bundle] : bundles_) total += bundle.size();
  return total;
}

void Outbox::unpack(std::span<const std::byte> bundle) const {
  while (!bundle.empty()) {
    ItemHead item;
    TAILRACE_ASSERT(bundle.size() >= sizeof item, "a bundle ends inside an item");
    std::memcpy(&item, bundle.data(), sizeof item);
    const auto bytes = static_cast<std::size_t>(item.bytes);
    TAILRACE_ASSERT(bundle.size() - sizeof item >= bytes, "a bundle ends inside an item");
    const auto handler = handlers_.find(item.kind);
    TAILRACE_ASSERT(handler != handlers_.end(), "an item of an unknown kind");
    handler->second(bundle.subspan(sizeof item, bytes));
    bundle = bundle.subspan(sizeof item + bytes);
  }
}

}  // namespace tailrace::pipeline::routing
