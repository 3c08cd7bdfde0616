// The base of communicators of unit tests, which have no other ranks to take part in a collective call.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "comm/communicator.hpp"

namespace tailrace::messaging::testing {

// Each send is complete at once. Collective calls throw.
class PointToPoint : public comm::Communicator {
 public:
  PointToPoint(int rank, int size) : rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int handle() const override { return -1; }
  void barrier() override { refuse(); }
  std::vector<std::byte> broadcast(std::span<const std::byte>, int) override { refuse(); }
  bool any_says(bool) override { refuse(); }
  std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte>) override { refuse(); }
  std::unique_ptr<Communicator> split(int, int) override { refuse(); }
  std::unique_ptr<Communicator> duplicate() override { refuse(); }
  std::unique_ptr<comm::Request> start_receive(std::span<std::byte>, int, int) override { refuse(); }
  std::unique_ptr<comm::Request> start_all_gather(std::span<const std::byte>, std::span<const int>,
                                                  std::span<std::byte>) override {
    refuse();
  }
  std::unique_ptr<comm::Request> send(std::span<const std::byte> bytes, int to, int tag) final {
    take(bytes, to, tag);
    return std::make_unique<Done>();
  }

 private:
  struct Done final : comm::Request {
    bool done() override { return true; }
  };
  [[noreturn]] static void refuse() { throw Error(ErrorCode::internal, "no collective is expected here"); }
  virtual void take(std::span<const std::byte> bytes, int to, int tag) = 0;

  int rank_, size_;
};

}  // namespace tailrace::messaging::testing
