#include "messaging/active_messages/mailbox.hpp"

#include <utility>

#include "base/index.hpp"

namespace tailrace::messaging {
namespace {

// A bundle of this size gains nothing from waiting for more.
constexpr std::size_t large_bundle = std::size_t{1} << 20;

}  // namespace

Mailbox::Mailbox(Messenger& messenger, std::int32_t kind)
    : messenger_(messenger),
      kind_(kind),
      rank_(messenger.rank()),
      size_(messenger.size()),
      bundles_(static_cast<std::size_t>(size_)) {
  messenger_.on(kind_, [inbox = inbox_](int from, Bytes&& message) {
    inbox->bytes += message.size();
    inbox->arrived.push_back({from, std::move(message), 0});
  });
}

void Mailbox::put(int to, const wire::Item& item) {
  Bytes& bundle = bundles_[base::index(to)];
  if (!bundle.empty() && bundle.size() + wire::size_of(item) > large_bundle) send(to);
  const std::size_t before = bundle.size();
  wire::append(bundle, item);
  bundled_ += bundle.size() - before;
  if (bundle.size() >= large_bundle) send(to);
}

void Mailbox::put_all(const wire::Item& item) {
  for (int to = 0; to < size_; ++to)
    if (to != rank_) put(to, item);
}

bool Mailbox::send(int to) {
  Bytes bundle = std::exchange(bundles_[base::index(to)], {});
  if (bundle.empty()) return false;
  bundled_ -= bundle.size();
  messenger_.send(to, kind_, std::move(bundle));
  return true;
}

bool Mailbox::flush() {
  if (bundled_ == 0) return false;
  for (int to = 0; to < size_; ++to) send(to);
  return true;
}

Mailbox::Bundle* Mailbox::first() { return inbox_->arrived.empty() ? nullptr : &inbox_->arrived.front(); }

Mailbox::Bundle Mailbox::take_first() {
  Bundle bundle = std::move(inbox_->arrived.front());
  inbox_->arrived.pop_front();
  inbox_->bytes -= bundle.message.size();
  return bundle;
}

}  // namespace tailrace::messaging
