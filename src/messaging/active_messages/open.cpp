#include "messaging/active_messages/open.hpp"

#include "base/index.hpp"

namespace tailrace::messaging {

std::size_t KeyHash::operator()(const Key& key) const {
  const auto mix = [](std::uint64_t x) {  // splitmix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  };
  return mix(mix(mix(static_cast<std::uint64_t>(key.operation)) + static_cast<std::uint64_t>(key.name.what)) +
             static_cast<std::uint64_t>(key.name.round));
}

bool ServerSet::contains(int server) const {
  if (server < few) return (first_ >> server & 1) != 0;
  const auto at = base::index(server - few);
  return at < rest_.size() && rest_[at];
}

bool ServerSet::add(int server) {
  if (contains(server)) return false;
  if (server < few) {
    first_ |= std::uint64_t{1} << server;
  } else {
    const auto at = base::index(server - few);
    if (at >= rest_.size()) rest_.resize(at + 1);
    rest_[at] = true;
  }
  return true;
}

}  // namespace tailrace::messaging
