#include "messaging/active_messages/matching.hpp"

#include <utility>

#include "base/index.hpp"

namespace tailrace::messaging {

void Matching::give(const Key& key, int root, std::span<const std::byte> mine) {
  if (const auto other = collections_.find(key); other != collections_.end()) {
    if (other->second.issued) describer_.twice(key, mailbox_.rank());
    describer_.differing_roots(key, other->second.parts.front().from);
  }
  mailbox_.put(root, {key.operation, key.name, mine});
}

Collection& Matching::take_part(Collections::iterator place, bool fresh, int from) {
  Collection& collection = place->second;
  if (fresh) collection.missing = mailbox_.size();
  if (!collection.there.add(from)) describer_.twice(place->first, from);
  --collection.missing;
  return collection;
}

void Matching::collect(const Key& key, Bytes&& mine, GatherContinuation then) {
  const auto [place, fresh] = collections_.try_emplace(key);
  Collection& collection = take_part(place, fresh, mailbox_.rank());
  collection.issued = true;
  collection.then = std::move(then);
  held_ += mine.size();
  collection.parts.push_back({mailbox_.rank(), std::move(mine)});
  if (collection.missing == 0) complete(place);
}

void Matching::contributed(const Key& key, int from, std::span<const std::byte> bytes) {
  const auto [place, fresh] = collections_.try_emplace(key);
  Collection& collection = take_part(place, fresh, from);
  collection.parts.push_back({from, Bytes(bytes.begin(), bytes.end())});
  held_ += bytes.size();
  if (collection.missing == 0) complete(place);
}

void Matching::complete(Collections::iterator place) {
  const auto node = collections_.extract(place);
  Collection& collection = node.mapped();
  std::vector<Bytes> by_server(static_cast<std::size_t>(mailbox_.size()));
  for (Part& part : collection.parts) {
    held_ -= part.bytes.size();
    by_server[base::index(part.from)] = std::move(part.bytes);
  }
  continuations_.run(std::move(collection.then), std::move(by_server));
}

void Matching::await(const Key& key, int from, Continuation then) {
  const auto [place, fresh] = awaited_.try_emplace(key, Awaited{.from = from, .issued = true});
  Awaited& entry = place->second;
  if (fresh) {
    entry.then = std::move(then);
    return;
  }
  if (entry.issued) describer_.twice(key, mailbox_.rank());
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
  continuations_.run(std::move(node.mapped().then), Bytes(bytes.begin(), bytes.end()));
}

}  // namespace tailrace::messaging
