// Thousands of operations of all kinds, issued in another random order on every server, each result known in
// advance. Some continuations issue more.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "messaging/active_messages/active_messages.hpp"

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
  int completed() const { return completed_; }
  int expected() const { return expected_; }

 private:
  enum Kind { broadcast, then_more, gather, kinds };

  std::uint64_t of(int operation, std::uint64_t what) const {
    return scramble(scramble(seed_, what), static_cast<std::uint64_t>(operation));
  }
  Kind kind(int operation) const { return static_cast<Kind>(of(operation, 1) % kinds); }
  int root(int operation) const {
    return static_cast<int>(of(operation, 2) % static_cast<std::uint64_t>(size_));
  }
  Name name(int operation) const { return {operation % 319, operation / 319}; }

  Numbers value(int operation, int server) const {
    const std::uint64_t dice = of(operation, 4);
    Numbers numbers(dice % 500 == 0 ? 150000 : dice % 20 == 0 ? 2000 : dice % 7);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = operation * 1000 + server * 17 + static_cast<std::int64_t>(i);
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
    const int root = this->root(operation);
    if (kind(operation) == gather) return issue_gather(operation, name(operation), root);
    Continuation then = expect(value(operation, root));
    if (kind(operation) == then_more)
      then = [this, operation, check = std::move(then)](Bytes&& message) {
        check(std::move(message));
        follow(operation);
      };
    messages_.broadcast(name(operation), root, rank_ == root ? bytes_of(value(operation, root)) : Bytes{},
                        std::move(then));
  }
  void issue_gather(int operation, const Name& name, int root) {
    if (rank_ == root) ++expected_;
    messages_.gather(
        name, root, bytes_of(value(operation, rank_)),
        [this, operation, here = rank_ == root](std::vector<Bytes>&& by_server) {
          STRESS_REQUIRE(here && by_server.size() == static_cast<std::size_t>(size_));
          for (int server = 0; server < size_; ++server)
            STRESS_REQUIRE(numbers_of(by_server[base::index(server)]) == value(operation, server));
          ++completed_;
        });
  }
  // A continuation issues this: a gather at another root, with a name that is not in the order.
  void follow(int operation) {
    Name name = this->name(operation);
    name.what += 1000;
    issue_gather(operation, name, (root(operation) + 1) % size_);
  }

  ActiveMessages& messages_;
  int rank_;
  int size_;
  std::uint64_t seed_;
  int operations_;
  std::mt19937 random_;
  std::vector<int> order_;
  std::size_t next_ = 0;
  int completed_ = 0;
  int expected_ = 0;
};

}  // namespace tailrace::messaging::testing
