// A communicator of many ranks of which only this one exists: its outgoing messages are measured and dropped
// at once, and its incoming messages are made up when it polls.
#pragma once

#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "messaging/testing/point_to_point.hpp"

namespace tailrace::server::testing {

class OneRank final : public messaging::testing::PointToPoint {
 public:
  using Bytes = std::vector<std::byte>;
  using PointToPoint::PointToPoint;

  std::function<void(int to, int tag, std::span<const std::byte>)> sees = [](int, int, auto) {};
  std::function<std::optional<Bytes>(int from, int tag)> hears = [](int, int) { return std::nullopt; };

  std::optional<comm::Incoming> probe(int source, int tag) override {
    next_ = hears(source, tag);
    if (!next_) return std::nullopt;
    return comm::Incoming{source, tag, next_->size()};
  }
  void receive(std::span<std::byte> bytes, int, int) override {
    if (!bytes.empty()) std::memcpy(bytes.data(), next_->data(), bytes.size());
    next_.reset();
  }

 private:
  void take(std::span<const std::byte> bytes, int to, int tag) override { sees(to, tag, bytes); }

  std::optional<Bytes> next_;
};

}  // namespace tailrace::server::testing
