#include "messaging/active_messages_matching.hpp"

#include <utility>

namespace tailrace::messaging {

void Matching::give(const Key& key, int root, std::span<const std::byte> mine) {
  if (const auto other = collections_.find(key); other != collections_.end()) {
    if (other->second.issued) describer_.twice(key, post_.rank());
    describer_.differing_roots(key, other->second.parts.front().from);
  }
  post_.put(root, {key.operation, Role::contribution, key.name, mine});
}

Collection& Matching::take_part(Collections::iterator place, bool fresh, int from) {
  Collection& collection = place->second;
  if (fresh) collection.missing = post_.size();
  if (!collection.there.add(from)) describer_.twice(place->first, from);
  --collection.missing;
  return collection;
}

void Matching::collect(const Key& key, OwnPart&& part) {
  const auto [place, fresh] = collections_.try_emplace(key);
  Collection& collection = take_part(place, fresh, post_.rank());
  collection.issued = true;
  ++open_;
  held_ += part.mine.size();
  collection.then = std::move(part.then);
  if (key.operation == Operation::gather) {
    collection.then_gathered = std::move(part.then_gathered);
    collection.parts.push_back({post_.rank(), std::move(part.mine)});
  } else {
    const std::size_t before = part.mine.size();
    collection.sum = std::move(part.mine);
    for (const Part& other : std::exchange(collection.parts, {})) {
      part.combine(collection.sum, other.bytes);
      held_ -= other.bytes.size();
    }
    held_ += collection.sum.size() - before;
    if (collection.missing > 0) collection.combine = part.combine;
  }
  if (collection.missing == 0) complete(place);
}

void Matching::contributed(const Key& key, int from, std::span<const std::byte> bytes) {
  const auto [place, fresh] = collections_.try_emplace(key);
  Collection& collection = take_part(place, fresh, from);
  if (fresh && awaited_.contains(key)) describer_.differing_roots(key, from);
  if (collection.issued && key.operation != Operation::gather) {
    const std::size_t before = collection.sum.size();
    collection.combine(collection.sum, bytes);
    held_ += collection.sum.size() - before;
  } else {
    collection.parts.push_back({from, Bytes(bytes.begin(), bytes.end())});
    held_ += bytes.size();
  }
  if (collection.missing == 0) complete(place);
}

void Matching::complete(Collections::iterator place) {
  const auto node = collections_.extract(place);
  complete(node.key(), std::move(node.mapped()));
}

void Matching::complete(const Key& key, Collection&& collection) {
  --open_;
  if (key.operation == Operation::gather) {
    std::vector<Bytes> by_server(static_cast<std::size_t>(post_.size()));
    for (Part& part : collection.parts) {
      held_ -= part.bytes.size();
      by_server[static_cast<std::size_t>(part.from)] = std::move(part.bytes);
    }
    return continuations_.run(std::move(collection.then_gathered), std::move(by_server));
  }
  held_ -= collection.sum.size();
  if (key.operation != Operation::reduce)
    post_.put_all({key.operation, Role::result, key.name, collection.sum});
  continuations_.run(std::move(collection.then), std::move(collection.sum));
}

void Matching::await(const Key& key, int from, Continuation then) {
  const auto [place, fresh] = awaited_.try_emplace(key, Awaited{.from = from, .issued = true});
  Awaited& entry = place->second;
  if (fresh) {
    entry.then = std::move(then);
    ++open_;
    return;
  }
  if (entry.issued) describer_.twice(key, post_.rank());
  if (entry.from != from) describer_.differing_roots(key, entry.from);
  const auto node = awaited_.extract(place);
  held_ -= node.mapped().message.size();
  continuations_.run(std::move(then), std::move(node.mapped().message));
}

void Matching::arrived(const Key& key, int from, std::span<const std::byte> bytes) {
  const auto [place, fresh] = awaited_.try_emplace(key, Awaited{.from = from, .issued = false});
  Awaited& entry = place->second;
  if (fresh) {
    entry.message.assign(bytes.begin(), bytes.end());
    held_ += bytes.size();
    return;
  }
  if (entry.from != from) describer_.differing_roots(key, from);
  if (!entry.issued) describer_.twice(key, from);
  const auto node = awaited_.extract(place);
  --open_;
  continuations_.run(std::move(node.mapped().then), Bytes(bytes.begin(), bytes.end()));
}

}  // namespace tailrace::messaging
