// What is open on one server: collections (this server is the root and waits for contributions) and awaited
// results (it waits for one message). Either may also be there because something arrived early. Operations
// that complete at once, as all do on a single server, leave no trace here.
#pragma once

#include <bitset>
#include <compare>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "messaging/active_messages_post.hpp"
#include "messaging/active_messages_termination.hpp"

namespace tailrace::messaging {

using wire::Operation;
using wire::Role;

struct Key {
  Operation operation = Operation::send;
  int sender = -1;  // of a send; -1: of the others, which have one a name
  Name name;
  auto operator<=>(const Key&) const = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const;
};

class ServerSet {
 public:
  bool add(int server);  // false: it was in already
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
  bool issued = false;      // here
  Bytes sum;                // of a reduction, since it was issued
  std::vector<Part> parts;  // of a gather; of a reduction until it is issued
  Combine combine;
  Continuation then;
  GatherContinuation then_gathered;
};

struct Awaited {
  int from = 0;  // who sends it, or who sent it
  bool issued = false;
  Bytes message;  // when it came first
  Continuation then;
};

// Continuations that complete at once are nested in each other this deep; further ones wait for progress(),
// so that a long chain of them does not use up the stack.
inline constexpr int most_depth = 32;

struct ActiveMessages::State {
  State(Messenger& messenger, std::int32_t kind, std::function<std::string(const Name&)> tell);

  // What a caller asks for. `peer`: the other server or the root.
  void admit(Operation operation, const Name& name, int peer) const;
  void give(Operation operation, const Name& name, int root, std::span<const std::byte> mine);
  void collect(Operation operation, const Name& name, Bytes&& mine, const Combine& combine, Continuation then,
               GatherContinuation then_gathered);
  void await(const Key& key, int from, Continuation then);
  template <class Then, class Result>
  void run(Then&& then, Result&& result);

  // What arrives.
  bool unpack();
  void handle(int from, const wire::Item& item);
  void contributed(const Key& key, int from, std::span<const std::byte> bytes);
  void arrived(const Key& key, int from, std::span<const std::byte> bytes);
  void complete(const Key& key, Collection&& collection);
  bool run_deferred();
  bool passive() const;

  // In words.
  std::string words(const Key& key) const;  // "reduce of the mean of th at step 3"
  std::vector<std::string> lines(std::size_t most) const;
  [[noreturn]] void twice(const Key& key, int server) const;
  [[noreturn]] void differing_roots(const Key& key, int from) const;

  Post post;
  std::function<std::string(const Name&)> tell;
  std::unordered_map<Key, Collection, KeyHash> collections;
  std::unordered_map<Key, Awaited, KeyHash> awaited;
  std::size_t open = 0;
  std::size_t held = 0;  // bytes in the two maps
  std::deque<std::function<void()>> deferred;
  int depth = 0;  // of continuations within each other
  int work = 0;   // begun elsewhere and not ended
  int busy = 0;   // calls of progress since the last flush that found something to do
  bool in_progress = false;
  std::function<void(const std::string&)> at_end;
  Termination termination;
};

struct Within {
  explicit Within(int& depth) : depth_(depth) { ++depth_; }
  ~Within() { --depth_; }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

 private:
  int& depth_;
};

template <class Then, class Result>
void ActiveMessages::State::run(Then&& then, Result&& result) {
  if (!then) return;
  if (depth >= most_depth) {
    deferred.push_back(
        [this, then = std::forward<Then>(then), result = std::forward<Result>(result)]() mutable {
          run(std::move(then), std::move(result));
        });
    return;
  }
  const Within within(depth);
  then(std::forward<Result>(result));
}

}  // namespace tailrace::messaging
