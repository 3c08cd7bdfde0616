// A communicator of one rank. Sends are copied at once, so their requests are done from the start.
#include <algorithm>
#include <cstring>
#include <deque>

#include "base/error.hpp"
#include "comm/communicator.hpp"

namespace tailrace::comm {
namespace {

class DoneRequest final : public Request {
 public:
  bool done() override { return true; }
};

void check_rank(int rank, bool may_be_any) {
  if (rank == 0 || (may_be_any && rank == any)) return;
  throw Error(ErrorCode::internal,
              "rank " + std::to_string(rank) + " does not exist: the communicator has 1 rank");
}

class SerialCommunicator final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void barrier() override {}
  bool any_says(bool yes) override { return yes; }

  std::vector<std::byte> broadcast(std::span<const std::byte> bytes, int root) override {
    check_rank(root, false);
    return {bytes.begin(), bytes.end()};
  }
  std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> bytes) override {
    return {std::vector<std::byte>(bytes.begin(), bytes.end())};
  }
  std::unique_ptr<Communicator> split(int colour, int) override {
    return colour < 0 ? nullptr : std::make_unique<SerialCommunicator>();
  }
  std::unique_ptr<Communicator> duplicate() override { return std::make_unique<SerialCommunicator>(); }

  std::unique_ptr<Request> send(std::span<const std::byte> bytes, int to, int tag) override {
    check_rank(to, false);
    messages_.push_back({tag, {bytes.begin(), bytes.end()}});
    return std::make_unique<DoneRequest>();
  }
  std::optional<Incoming> probe(int source, int tag) override {
    check_rank(source, true);
    const auto message = find(tag);
    if (message == messages_.end()) return std::nullopt;
    return Incoming{0, message->tag, message->bytes.size()};
  }
  void receive(std::span<std::byte> bytes, int source, int tag) override {
    check_rank(source, true);
    const auto message = find(tag);
    TAILRACE_ASSERT(message != messages_.end(), "receive without a message that a probe reported");
    TAILRACE_ASSERT(message->bytes.size() <= bytes.size(), "the buffer is smaller than the message");
    if (!message->bytes.empty()) std::memcpy(bytes.data(), message->bytes.data(), message->bytes.size());
    messages_.erase(message);
  }
  std::unique_ptr<Request> start_receive(std::span<std::byte> bytes, int source, int tag) override {
    receive(bytes, source, tag);
    return std::make_unique<DoneRequest>();
  }
  std::unique_ptr<Request> start_all_gather(std::span<const std::byte> bytes, std::span<const int>,
                                            std::span<std::byte> all) override {
    std::copy(bytes.begin(), bytes.end(), all.begin());
    return std::make_unique<DoneRequest>();
  }
  int handle() const override { return -1; }

 private:
  struct Message {
    int tag;
    std::vector<std::byte> bytes;
  };
  std::deque<Message>::iterator find(int tag) {
    return std::find_if(messages_.begin(), messages_.end(),
                        [tag](const Message& message) { return tag == any || message.tag == tag; });
  }
  std::deque<Message> messages_;
};

}  // namespace

std::unique_ptr<Communicator> serial() { return std::make_unique<SerialCommunicator>(); }

}  // namespace tailrace::comm
