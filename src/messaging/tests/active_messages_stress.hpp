// Thousands of operations of all kinds, issued in another random order on every server, each result known in
// advance. Some continuations issue more: at once, or after work that goes on elsewhere for a while.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "messaging/active_messages.hpp"

namespace tailrace::messaging::testing {

#define STRESS_REQUIRE(condition) \
  if (!(condition)) throw std::runtime_error(std::to_string(__LINE__) + ": " #condition)

using Numbers = std::vector<std::int64_t>;

inline Bytes bytes_of(const Numbers& numbers) {
  const auto bytes = std::as_bytes(std::span(numbers));
  return {bytes.begin(), bytes.end()};
}
inline Numbers numbers_of(std::span<const std::byte> bytes) {
  Numbers numbers(bytes.size() / sizeof(std::int64_t));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}
inline void add(Bytes& into, std::span<const std::byte> other) {
  STRESS_REQUIRE(into.size() == other.size());
  STRESS_REQUIRE(reinterpret_cast<std::uintptr_t>(other.data()) % 16 == 0);
  Numbers sum = numbers_of(into);
  const Numbers more = numbers_of(other);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
  if (!sum.empty()) std::memcpy(into.data(), sum.data(), into.size());
}

inline std::uint64_t scramble(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15ULL + b;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// One server's part.
class Stress {
 public:
  Stress(ActiveMessages& messages, int rank, int size, std::uint64_t seed, int operations)
      : messages_(messages), rank_(rank), size_(size), seed_(seed), operations_(operations) {
    order_.resize(static_cast<std::size_t>(operations));
    std::iota(order_.begin(), order_.end(), 0);
    random_.seed(static_cast<unsigned>(scramble(seed, static_cast<std::uint64_t>(rank))));
    std::shuffle(order_.begin(), order_.end(), random_);
  }

  // Issues some more, maybe none; false when all are issued.
  bool issue() {
    for (auto some = random_() % 40; some > 0 && next_ < order_.size(); --some) issue(order_[next_++]);
    return next_ < order_.size();
  }
  // Ends some of the work that continuations have begun.
  void work() {
    while (!later_.empty() && random_() % 2 == 0) {
      std::swap(later_.back(), later_[random_() % later_.size()]);
      const int operation = later_.back();
      later_.pop_back();
      follow(operation);
      messages_.end_work();
    }
  }
  bool working() const { return !later_.empty(); }
  int completed() const { return completed_; }
  int expected() const { return expected_; }

 private:
  enum Kind { send, reduce, allreduce, then_more, broadcast, gather, barrier, kinds };

  std::uint64_t of(int operation, std::uint64_t what) const {
    return scramble(scramble(seed_, what), static_cast<std::uint64_t>(operation));
  }
  Kind kind(int operation) const { return static_cast<Kind>(of(operation, 1) % kinds); }
  int root(int operation) const {
    return static_cast<int>(of(operation, 2) % static_cast<std::uint64_t>(size_));
  }
  int sender(int operation) const {
    return static_cast<int>(of(operation, 3) % static_cast<std::uint64_t>(size_));
  }
  Name name(int operation) const { return {operation % 319, operation / 319}; }

  Numbers value(int operation, int server) const {
    const std::uint64_t dice = of(operation, 4);
    Numbers numbers(dice % 500 == 0 ? 150000 : dice % 20 == 0 ? 2000 : dice % 7);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = operation * 1000 + server * 17 + static_cast<std::int64_t>(i);
    return numbers;
  }
  Numbers sum(int operation) const {
    Numbers numbers = value(operation, 0);
    for (std::int64_t& number : numbers) number = number * size_ + 17 * (size_ * (size_ - 1) / 2);
    return numbers;
  }
  Continuation expect(Numbers result) {
    ++expected_;
    return [this, result = std::move(result)](Bytes&& bytes) {
      STRESS_REQUIRE(numbers_of(bytes) == result);
      ++completed_;
    };
  }

  void issue(int operation) {
    const Name name = this->name(operation);
    const int root = this->root(operation);
    Bytes mine = bytes_of(value(operation, rank_));
    const auto at_root = [&](const Numbers& result) {
      return rank_ == root ? expect(result) : [](Bytes&&) { STRESS_REQUIRE(!"not the root"); };
    };
    switch (kind(operation)) {
      case send:
        if (rank_ == sender(operation)) messages_.send(name, root, std::move(mine));
        if (rank_ == root)
          messages_.receive(name, sender(operation), expect(value(operation, sender(operation))));
        return;
      case reduce: return messages_.reduce(name, root, std::move(mine), add, at_root(sum(operation)));
      case allreduce: return messages_.allreduce(name, root, std::move(mine), add, expect(sum(operation)));
      case then_more:
        return messages_.allreduce(name, root, std::move(mine), add,
                                   [this, operation, check = expect(sum(operation))](Bytes&& result) {
                                     check(std::move(result));
                                     if (of(operation, 5) % 2 == 0) return follow(operation);
                                     messages_.begin_work();
                                     later_.push_back(operation);
                                   });
      case broadcast:
        return messages_.broadcast(name, root, rank_ == root ? std::move(mine) : Bytes{},
                                   expect(value(operation, root)));
      case gather: return issue_gather(operation, std::move(mine));
      case barrier:
      case kinds: return messages_.barrier(name, [check = expect({})] { check({}); });
    }
  }
  void issue_gather(int operation, Bytes&& mine) {
    const bool here = rank_ == root(operation);
    if (here) ++expected_;
    messages_.gather(name(operation), root(operation), std::move(mine),
                     [this, operation, here](std::vector<Bytes>&& by_server) {
                       STRESS_REQUIRE(here && by_server.size() == static_cast<std::size_t>(size_));
                       for (int server = 0; server < size_; ++server)
                         STRESS_REQUIRE(numbers_of(by_server[static_cast<std::size_t>(server)]) ==
                                        value(operation, server));
                       ++completed_;
                     });
  }
  // What a continuation issues: a reduce at another root, of a name that is not in the order.
  void follow(int operation) {
    const int root = sender(operation);
    Name name = this->name(operation);
    name.what += 1000;
    messages_.reduce(name, root, bytes_of(value(operation, rank_)), add,
                     rank_ == root ? expect(sum(operation)) : Continuation{});
  }

  ActiveMessages& messages_;
  int rank_;
  int size_;
  std::uint64_t seed_;
  int operations_;
  std::mt19937 random_;
  std::vector<int> order_;
  std::size_t next_ = 0;
  std::vector<int> later_;
  int completed_ = 0;
  int expected_ = 0;
};

}  // namespace tailrace::messaging::testing
