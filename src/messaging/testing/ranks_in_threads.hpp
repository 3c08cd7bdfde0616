// Ranks as threads of one process, each with a communicator over mailboxes: what is sent is there at once.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "comm/communicator.hpp"
#include "messaging/testing/point_to_point.hpp"

namespace tailrace::messaging::testing {

class Mailboxes {
 public:
  struct Letter {
    int from, tag;
    std::vector<std::byte> bytes;
  };
  explicit Mailboxes(int ranks) : boxes_(static_cast<std::size_t>(ranks)) {}
  int ranks() const { return static_cast<int>(boxes_.size()); }

  void put(int to, Letter letter) {
    Box& box = boxes_[base::index(to)];
    const std::lock_guard lock(box.mutex);
    box.letters.push_back(std::move(letter));
    ++box.received;
  }
  // The first that fits; taken out if `take`.
  std::optional<Letter> find(int of, int from, int tag, bool take) {
    Box& box = boxes_[base::index(of)];
    const std::lock_guard lock(box.mutex);
    const auto found = std::ranges::find_if(box.letters, [&](const Letter& letter) {
      return (from == comm::any || letter.from == from) && letter.tag == tag;
    });
    if (found == box.letters.end()) return std::nullopt;
    Letter letter = *found;
    if (take) box.letters.erase(found);
    return letter;
  }
  std::size_t received(int rank) const { return boxes_[base::index(rank)].received; }

 private:
  struct Box {
    std::mutex mutex;  // guards letters and received
    std::deque<Letter> letters;
    std::size_t received = 0;
  };
  std::vector<Box> boxes_;
};

class ThreadRank final : public PointToPoint {
 public:
  ThreadRank(Mailboxes& mail, int rank) : PointToPoint(rank, mail.ranks()), mail_(mail) {}
  std::optional<comm::Incoming> probe(int source, int tag) override {
    const auto letter = mail_.find(rank(), source, tag, false);
    if (!letter) return std::nullopt;
    return comm::Incoming{letter->from, letter->tag, letter->bytes.size()};
  }
  void receive(std::span<std::byte> bytes, int source, int tag) override {
    const auto letter = mail_.find(rank(), source, tag, true);
    if (!bytes.empty()) std::memcpy(bytes.data(), letter->bytes.data(), bytes.size());
  }

 private:
  void take(std::span<const std::byte> bytes, int to, int tag) override {
    mail_.put(to, {rank(), tag, {bytes.begin(), bytes.end()}});
  }

  Mailboxes& mail_;
};

// Runs `act` on each rank and returns the messages of what it throws; empty if it throws nothing.
inline std::vector<std::string> on_ranks(Mailboxes& mail,
                                         const std::function<void(comm::Communicator&)>& act) {
  std::vector<std::string> thrown(static_cast<std::size_t>(mail.ranks()));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < mail.ranks(); ++rank)
    threads.emplace_back([&, rank] {
      ThreadRank communicator(mail, rank);
      try {
        act(communicator);
      } catch (const Error& error) {
        thrown[base::index(rank)] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return thrown;
}

}  // namespace tailrace::messaging::testing
