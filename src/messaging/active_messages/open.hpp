// The open operations of one server: collections (this server is the root and waits for contributions) and
// awaited results (it waits for one message). A message that arrives early opens one too.
#pragma once

#include <compare>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "messaging/active_messages/wire.hpp"

namespace tailrace::messaging {

using wire::Operation;

struct Key {
  Operation operation = Operation::broadcast;
  Name name;
  auto operator<=>(const Key&) const = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const;
};

// A set of servers. The first 64, which most runs do not exceed, are bits of one word, because a collection
// is created and destroyed for each step and exchange.
class ServerSet {
 public:
  bool add(int server);  // false: it was already in the set
  bool contains(int server) const;

 private:
  static constexpr int few = 64;
  std::uint64_t first_ = 0;
  std::vector<bool> rest_;
};

struct Part {
  int from = 0;
  Bytes bytes;
};

struct Collection {
  ServerSet there;
  int missing = 0;
  bool issued = false;  // here
  std::vector<Part> parts;
  GatherContinuation then;
};

struct Awaited {
  int from = 0;  // the server that sends it, or that has sent it
  bool issued = false;
  Bytes message = {};  // if it arrived before the call
  Continuation then = {};
};

using Collections = std::unordered_map<Key, Collection, KeyHash>;
using AwaitedResults = std::unordered_map<Key, Awaited, KeyHash>;

}  // namespace tailrace::messaging
