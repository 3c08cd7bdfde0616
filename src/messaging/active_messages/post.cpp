#include "messaging/active_messages/post.hpp"

#include <utility>

namespace tailrace::messaging {
namespace {

// A bundle of this size gains nothing from waiting for more.
constexpr std::size_t large_bundle = std::size_t{1} << 20;

}  // namespace

Post::Post(Messenger& messenger, std::int32_t kind)
    : messenger_(messenger),
      kind_(kind),
      rank_(messenger.rank()),
      size_(messenger.size()),
      bundles_(static_cast<std::size_t>(size_)) {
  messenger_.on(kind_, [inbox = inbox_](int from, Bytes&& message) {
    inbox->bytes += message.size();
    inbox->letters.push_back({from, std::move(message), 0});
  });
}

void Post::put(int to, const wire::Item& item) {
  Bytes& bundle = bundles_[static_cast<std::size_t>(to)];
  if (!bundle.empty() && bundle.size() + wire::size_of(item) > large_bundle) send(to);
  const std::size_t before = bundle.size();
  wire::append(bundle, item);
  bundled_ += bundle.size() - before;
  if (bundle.size() >= large_bundle) send(to);
}

void Post::put_all(const wire::Item& item) {
  for (int to = 0; to < size_; ++to)
    if (to != rank_) put(to, item);
}

bool Post::send(int to) {
  Bytes bundle = std::exchange(bundles_[static_cast<std::size_t>(to)], {});
  if (bundle.empty()) return false;
  bundled_ -= bundle.size();
  messenger_.send(to, kind_, std::move(bundle));
  return true;
}

bool Post::flush() {
  if (bundled_ == 0) return false;
  for (int to = 0; to < size_; ++to) send(to);
  return true;
}

Post::Letter* Post::first() { return inbox_->letters.empty() ? nullptr : &inbox_->letters.front(); }

Post::Letter Post::take_first() {
  Letter letter = std::move(inbox_->letters.front());
  inbox_->letters.pop_front();
  inbox_->bytes -= letter.message.size();
  return letter;
}

}  // namespace tailrace::messaging
