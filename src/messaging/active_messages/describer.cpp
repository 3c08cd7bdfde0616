#include "messaging/active_messages/describer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace tailrace::messaging {
namespace {

std::string servers(const ServerSet& set, int size, bool in) {
  std::vector<int> chosen;
  for (int server = 0; server < size; ++server)
    if (set.contains(server) == in) chosen.push_back(server);
  if (chosen.size() == 1) return fmt::format("server {}", chosen[0]);
  const int last = chosen.back();
  chosen.pop_back();
  return fmt::format("servers {} and {}", fmt::join(chosen, ", "), last);
}

template <class Map>
auto sorted(const Map& map) {
  std::vector<const typename Map::value_type*> entries;
  entries.reserve(map.size());
  for (const auto& entry : map) entries.push_back(&entry);
  std::ranges::sort(entries, {}, [](const auto* entry) -> const Key& { return entry->first; });
  return entries;
}

}  // namespace

std::string Describer::of(const Key& key) const {
  return fmt::format("{} of {}", key.operation == Operation::gather ? "gather" : "broadcast",
                     tell_(key.name));
}

std::vector<std::string> Describer::lines(const Collections& collections, const AwaitedResults& awaited,
                                          std::size_t most) const {
  std::vector<std::string> found;
  const std::size_t all = collections.size() + awaited.size();
  const auto add = [&](const Key& key, const std::string& what) {
    found.push_back(fmt::format("server {}: {} {}", rank_, of(key), what));
  };
  for (const auto* entry : sorted(collections)) {
    if (found.size() == most) break;
    const auto& [key, collection] = *entry;
    const std::string others = servers(collection.there, size_, !collection.issued);
    add(key, collection.issued ? "waits for " + others : "was not issued here, but by " + others);
  }
  for (const auto* entry : sorted(awaited)) {
    if (found.size() == most) break;
    const auto& [key, one] = *entry;
    add(key, one.issued ? fmt::format("waits for server {}", one.from)
                        : fmt::format("arrived from server {}, but was not expected here", one.from));
  }
  if (all > found.size()) found.push_back(fmt::format("server {}: and {} more", rank_, all - found.size()));
  return found;
}

void Describer::twice(const Key& key, int server) const {
  throw Error(ErrorCode::internal,
              fmt::format("the {} was issued twice by server {}; a name is used once for each operation",
                          of(key), server));
}

void Describer::differing_roots(const Key& key, int from) const {
  throw Error(ErrorCode::internal,
              fmt::format("the {} has one root on server {} and another on server {}", of(key), from, rank_));
}

void Describer::no_server(const Key& key, int server) const {
  throw Error(ErrorCode::internal,
              fmt::format("the {} names server {}, but there are only {}", of(key), server, size_));
}

void Describer::after_finish(const Key& key) const {
  throw Error(ErrorCode::internal,
              fmt::format("the {} was issued after finish, and not by a continuation", of(key)));
}

}  // namespace tailrace::messaging
