// Several ranks of a job in one thread, so that a test can play all of them. Messages between a pair of ranks
// come in the order they were sent, as MPI promises; otherwise they take as long as chance will have it.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "comm/communicator.hpp"

namespace tailrace::messaging::testing {

class MemoryNetwork {
 public:
  MemoryNetwork(int size, unsigned seed, int most_delay = 5)
      : size_(size), random_(seed), most_delay_(most_delay), under_way_(static_cast<std::size_t>(size)) {}

  // The network must live longer.
  std::unique_ptr<comm::Communicator> rank(int rank) { return std::make_unique<Rank>(*this, rank); }
  int probes() const { return probes_; }  // by all ranks so far

 private:
  struct Message {
    int tag;
    std::span<const std::byte> bytes;  // in the sender's memory until it is received
    int delay;                         // how often it is looked for in vain
    std::shared_ptr<bool> received;
  };
  using Queues = std::map<int, std::deque<Message>>;  // by sender; none is empty

  class Sent final : public comm::Request {
   public:
    explicit Sent(std::shared_ptr<bool> received) : received_(std::move(received)) {}
    bool done() override { return *received_; }

   private:
    std::shared_ptr<bool> received_;
  };

  // No collectives: who plays all ranks in one thread cannot wait for the others.
  class Rank final : public comm::Communicator {
   public:
    Rank(MemoryNetwork& network, int rank) : network_(network), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return network_.size_; }
    void barrier() override { refuse(); }
    bool any_says(bool) override { refuse(); }
    std::vector<std::byte> broadcast(std::span<const std::byte>, int) override { refuse(); }
    std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte>) override { refuse(); }
    std::unique_ptr<Communicator> split(int, int) override { refuse(); }
    std::unique_ptr<Communicator> duplicate() override { refuse(); }
    int handle() const override { return -1; }

    std::unique_ptr<comm::Request> send(std::span<const std::byte> bytes, int to, int tag) override {
      auto received = std::make_shared<bool>(false);
      const int delay = std::uniform_int_distribution<int>(0, network_.most_delay_)(network_.random_);
      network_.under_way_[base::index(to)][rank_].push_back({tag, bytes, delay, received});
      return std::make_unique<Sent>(std::move(received));
    }
    std::optional<comm::Incoming> probe(int source, int tag) override {
      ++network_.probes_;
      std::vector<comm::Incoming> there;
      for (auto& [from, queue] : queues()) {
        if (source != comm::any && source != from) continue;
        for (Message& message : queue) {
          if (tag != comm::any && message.tag != tag) continue;
          if (message.delay-- <= 0) there.push_back({from, message.tag, message.bytes.size()});
          break;  // the first of this pair; the others wait behind it
        }
      }
      if (there.empty()) return std::nullopt;
      return there[std::uniform_int_distribution<std::size_t>(0, there.size() - 1)(network_.random_)];
    }
    void receive(std::span<std::byte> bytes, int source, int tag) override {
      auto& queue = queues().at(source);
      const auto message =
          std::find_if(queue.begin(), queue.end(), [tag](const Message& each) { return each.tag == tag; });
      TAILRACE_ASSERT(message != queue.end() && message->bytes.size() == bytes.size(), "as the probe said");
      if (!bytes.empty()) std::memcpy(bytes.data(), message->bytes.data(), bytes.size());
      *message->received = true;
      queue.erase(message);
      if (queue.empty()) queues().erase(source);
    }
    std::unique_ptr<comm::Request> start_receive(std::span<std::byte> bytes, int source, int tag) override {
      receive(bytes, source, tag);
      return std::make_unique<Sent>(std::make_shared<bool>(true));
    }
    std::unique_ptr<comm::Request> start_all_gather(std::span<const std::byte>, std::span<const int>,
                                                    std::span<std::byte>) override {
      refuse();
    }

   private:
    Queues& queues() { return network_.under_way_[base::index(rank_)]; }
    [[noreturn]] static void refuse() {
      throw Error(ErrorCode::internal, "MemoryNetwork has no collectives");
    }
    MemoryNetwork& network_;
    int rank_;
  };

  int size_;
  std::mt19937 random_;
  int most_delay_;
  int probes_ = 0;
  std::vector<Queues> under_way_;  // by receiver
};

}  // namespace tailrace::messaging::testing
