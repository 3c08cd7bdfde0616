#include "messaging/active_messages_state.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"

namespace tailrace::messaging {
namespace {

// Lines of unmatched names that a server adds to the text at the end; with more, nobody reads them.
constexpr std::size_t most_lines = 100;

}  // namespace

std::size_t KeyHash::operator()(const Key& key) const {
  const auto mix = [](std::uint64_t x) {  // splitmix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  };
  const auto kind = static_cast<std::uint64_t>(key.operation) << 32 ^ static_cast<std::uint32_t>(key.sender);
  return mix(mix(mix(kind) + static_cast<std::uint64_t>(key.name.what)) +
             static_cast<std::uint64_t>(key.name.round));
}

bool ServerSet::contains(int server) const {
  if (server < few) return (first_ >> server & 1) != 0;
  const auto at = static_cast<std::size_t>(server - few);
  return at < rest_.size() && rest_[at];
}

bool ServerSet::add(int server) {
  if (contains(server)) return false;
  if (server < few) {
    first_ |= std::uint64_t{1} << server;
  } else {
    const auto at = static_cast<std::size_t>(server - few);
    if (at >= rest_.size()) rest_.resize(at + 1);
    rest_[at] = true;
  }
  return true;
}

ActiveMessages::State::State(Messenger& messenger, std::int32_t kind,
                             std::function<std::string(const Name&)> tell_name)
    : post(messenger, kind),
      tell(std::move(tell_name)),
      termination(
          post, [this] { return passive(); },
          [this] { return fmt::format("{}", fmt::join(lines(most_lines), "\n")); }) {}

bool ActiveMessages::State::passive() const {
  return at_end != nullptr && work == 0 && depth == 0 && deferred.empty() && post.quiet();
}

void ActiveMessages::State::give(Operation operation, const Name& name, int root,
                                 std::span<const std::byte> mine) {
  const Key key{operation, -1, name};
  if (const auto other = collections.find(key); other != collections.end()) {
    if (other->second.issued) twice(key, post.rank());
    differing_roots(key, other->second.parts.front().from);
  }
  post.put(root, {operation, Role::contribution, name, mine});
}

void ActiveMessages::State::collect(Operation operation, const Name& name, Bytes&& mine,
                                    const Combine& combine, Continuation then,
                                    GatherContinuation then_gathered) {
  const Key key{operation, -1, name};
  const auto [place, fresh] = collections.try_emplace(key);
  Collection& collection = place->second;
  if (fresh) collection.missing = post.size();
  if (!collection.there.add(post.rank())) twice(key, post.rank());
  --collection.missing;
  collection.issued = true;
  ++open;
  held += mine.size();
  collection.then = std::move(then);
  if (operation == Operation::gather) {
    collection.then_gathered = std::move(then_gathered);
    collection.parts.push_back({post.rank(), std::move(mine)});
  } else {
    const std::size_t before = mine.size();
    collection.sum = std::move(mine);
    for (const Part& part : std::exchange(collection.parts, {})) {
      combine(collection.sum, part.bytes);
      held -= part.bytes.size();
    }
    held += collection.sum.size() - before;
    if (collection.missing > 0) collection.combine = combine;
  }
  if (collection.missing > 0) return;
  const auto node = collections.extract(place);
  complete(key, std::move(node.mapped()));
}

void ActiveMessages::State::contributed(const Key& key, int from, std::span<const std::byte> bytes) {
  const auto [place, fresh] = collections.try_emplace(key);
  Collection& collection = place->second;
  if (fresh) collection.missing = post.size();
  if (!collection.there.add(from)) twice(key, from);
  --collection.missing;
  if (fresh && awaited.contains(key)) differing_roots(key, from);
  if (collection.issued && key.operation != Operation::gather) {
    const std::size_t before = collection.sum.size();
    collection.combine(collection.sum, bytes);
    held += collection.sum.size() - before;
  } else {
    collection.parts.push_back({from, Bytes(bytes.begin(), bytes.end())});
    held += bytes.size();
  }
  if (collection.missing > 0) return;
  const auto node = collections.extract(place);
  complete(key, std::move(node.mapped()));
}

void ActiveMessages::State::complete(const Key& key, Collection&& collection) {
  --open;
  if (key.operation == Operation::gather) {
    std::vector<Bytes> by_server(static_cast<std::size_t>(post.size()));
    for (Part& part : collection.parts) {
      held -= part.bytes.size();
      by_server[static_cast<std::size_t>(part.from)] = std::move(part.bytes);
    }
    return run(std::move(collection.then_gathered), std::move(by_server));
  }
  held -= collection.sum.size();
  if (key.operation != Operation::reduce)
    post.put_all({key.operation, Role::result, key.name, collection.sum});
  run(std::move(collection.then), std::move(collection.sum));
}

void ActiveMessages::State::await(const Key& key, int from, Continuation then) {
  const auto [place, fresh] = awaited.try_emplace(key, Awaited{from, true, {}, {}});
  Awaited& entry = place->second;
  if (fresh) {
    entry.then = std::move(then);
    ++open;
    return;
  }
  if (entry.issued) twice(key, post.rank());
  if (entry.from != from) differing_roots(key, entry.from);
  const auto node = awaited.extract(place);
  held -= node.mapped().message.size();
  run(std::move(then), std::move(node.mapped().message));
}

void ActiveMessages::State::arrived(const Key& key, int from, std::span<const std::byte> bytes) {
  const auto [place, fresh] = awaited.try_emplace(key, Awaited{from, false, {}, {}});
  Awaited& entry = place->second;
  if (fresh) {
    entry.message.assign(bytes.begin(), bytes.end());
    held += bytes.size();
    return;
  }
  if (entry.from != from) differing_roots(key, from);
  if (!entry.issued) twice(key, from);
  const auto node = awaited.extract(place);
  --open;
  run(std::move(node.mapped().then), Bytes(bytes.begin(), bytes.end()));
}

void ActiveMessages::State::handle(int from, const wire::Item& item) {
  const Key key{item.operation, item.operation == Operation::send ? from : -1, item.name};
  if (item.role == Role::contribution)
    contributed(key, from, item.payload);
  else
    arrived(key, from, item.payload);
}

// An item is past before it is handled, so that one that throws does not come again.
bool ActiveMessages::State::unpack() {
  bool moved = false;
  while (Post::Letter* letter = post.first()) {
    moved = true;
    const wire::Word word = wire::word_of(letter->message);
    if (word == wire::Word::items) {
      while (const auto item = wire::next_item(letter->message, letter->offset)) handle(letter->from, *item);
      post.take_first();
    } else {
      const Post::Letter said = post.take_first();
      termination.hear(said.from, word, wire::content(said.message));
    }
  }
  return moved;
}

bool ActiveMessages::State::run_deferred() {
  const std::size_t count = deferred.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::function<void()> next = std::move(deferred.front());
    deferred.pop_front();
    next();
  }
  return count > 0;
}

}  // namespace tailrace::messaging
