// A communicator of many ranks of which only this one exists: its outgoing messages are measured and dropped
// at once, and its incoming messages are made up when it polls.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "comm/communicator.hpp"

namespace tailrace::server::testing {

class OneRank final : public comm::Communicator {
 public:
  using Bytes = std::vector<std::byte>;
  OneRank(int rank, int size) : rank_(rank), size_(size) {}

  std::function<void(int to, int tag, std::span<const std::byte>)> sees = [](int, int, auto) {};
  std::function<std::optional<Bytes>(int from, int tag)> hears = [](int, int) { return std::nullopt; };

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void barrier() override { refuse(); }
  Bytes broadcast(std::span<const std::byte>, int) override { refuse(); }
  bool any_says(bool) override { refuse(); }
  std::vector<Bytes> all_gather(std::span<const std::byte>) override { refuse(); }
  std::unique_ptr<Communicator> split(int, int) override { refuse(); }
  std::unique_ptr<Communicator> duplicate() override { refuse(); }
  int handle() const override { return -1; }

  std::unique_ptr<comm::Request> send(std::span<const std::byte> bytes, int to, int tag) override {
    sees(to, tag, bytes);
    return std::make_unique<Done>();
  }
  std::optional<comm::Incoming> probe(int source, int tag) override {
    next_ = hears(source, tag);
    if (!next_) return std::nullopt;
    return comm::Incoming{source, tag, next_->size()};
  }
  void receive(std::span<std::byte> bytes, int, int) override {
    if (!bytes.empty()) std::memcpy(bytes.data(), next_->data(), bytes.size());
    next_.reset();
  }
  std::unique_ptr<comm::Request> start_receive(std::span<std::byte>, int, int) override { refuse(); }
  std::unique_ptr<comm::Request> start_all_gather(std::span<const std::byte>, std::span<const int>,
                                                  std::span<std::byte>) override {
    refuse();
  }

 private:
  struct Done final : comm::Request {
    bool done() override { return true; }
  };
  [[noreturn]] static void refuse() { throw Error(ErrorCode::internal, "the other ranks are not there"); }

  int rank_, size_;
  std::optional<Bytes> next_;
};

}  // namespace tailrace::server::testing
