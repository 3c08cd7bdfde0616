#include "messaging/collectives/polled_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/fault_bytes.hpp"
#include "base/index.hpp"
#include "env/clock.hpp"

namespace tailrace::messaging {
namespace {

std::vector<std::byte> message_of(const std::optional<base::Fault>& fault) {
  base::ByteWriter writer;
  put_fault(writer, fault);
  return writer.take();
}

std::optional<base::Fault> fault_in(const std::vector<std::byte>& message) {
  base::ByteReader reader(message);
  return get_fault(reader);
}

TreePlace place_among(const std::vector<int>& members, const comm::Communicator& communicator) {
  if (members.empty()) return {communicator.rank(), communicator.size()};
  const auto own = std::ranges::lower_bound(members, communicator.rank());
  return {static_cast<int>(own - members.begin()), static_cast<int>(members.size())};
}

}  // namespace

PolledTree::PolledTree(comm::Communicator& component) : PolledTree(component, Tags{}, {}) {}

PolledTree::PolledTree(comm::Communicator& communicator, Tags tags, std::vector<int> members)
    : component_(communicator),
      tags_(tags),
      members_(std::move(members)),
      place_(place_among(members_, communicator)) {}

int PolledTree::rank_of(int place) const { return members_.empty() ? place : members_[base::index(place)]; }

void PolledTree::up(std::vector<std::byte> message) {
  sendings_.emplace_back(component_, std::move(message), rank_of(place_.parent), tags_.up);
}

void PolledTree::down(std::vector<std::byte> message) {
  std::vector<int> children;
  for (const int child : place_.children) children.push_back(rank_of(child));
  start_sending(component_, std::move(message), children, tags_.down, sendings_);
}

std::optional<std::vector<std::byte>> PolledTree::from_child(std::size_t child) {
  return poll(component_, rank_of(place_.children[child]), tags_.up);
}

std::optional<std::vector<std::byte>> PolledTree::from_parent() {
  return poll(component_, rank_of(place_.parent), tags_.down);
}

std::vector<int> PolledTree::neighbours() const {
  std::vector<int> ranks;
  if (!is_first()) ranks.push_back(rank_of(place_.parent));
  for (const int child : place_.children) ranks.push_back(rank_of(child));
  return ranks;
}

void PolledTree::give_up(const base::Fault& fault) {
  if (!is_first())
    up(message_of(base::Fault{fault.code,
                              fmt::format("rank {} of the component {}", component_.rank(), fault.message)}));
  down(message_of(fault));
}

bool PolledTree::sent() {
  std::erase_if(sendings_, [](Sending& sending) { return sending.done(); });
  return sendings_.empty();
}

std::vector<std::byte> receive_from_child(PolledTree& tree, std::size_t child,
                                          const std::function<void()>& meanwhile) {
  std::optional<std::vector<std::byte>> message;
  while (!(message = tree.from_child(child))) meanwhile();
  return std::move(*message);
}

void wait_until_sent(PolledTree& tree, double seconds) {
  const double end = env::steady_seconds() + seconds;
  while (!tree.sent() && env::steady_seconds() < end)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

std::optional<base::Fault> barrier(PolledTree& tree, const std::function<bool()>& is_done,
                                   const std::function<void()>& meanwhile) {
  std::vector<unsigned char> received(tree.children(), 0);
  bool said = false;
  for (;;) {
    const bool done = is_done();
    for (std::size_t child = 0; child < received.size(); ++child) {
      const auto message = received[child] ? std::nullopt : tree.from_child(child);
      if (!message) continue;
      received[child] = 1;
      const auto fault = fault_in(*message);
      if (!fault || said) continue;
      if (tree.is_first()) throw Error(fault->code, fault->message);
      tree.up(*message);
      said = true;
    }
    if (done && !said && std::ranges::all_of(received, [](auto one) { return one != 0; })) {
      said = true;
      if (!tree.is_first()) {
        tree.up(message_of(std::nullopt));
      } else {
        tree.down(message_of(std::nullopt));
        return std::nullopt;
      }
    }
    if (!tree.is_first()) {
      if (const auto message = tree.from_parent()) {
        tree.down(*message);
        return fault_in(*message);
      }
    }
    meanwhile();
  }
}

}  // namespace tailrace::messaging
