#include "handshake/ready/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "env/clock.hpp"

namespace tailrace::handshake {
namespace {

std::vector<std::byte> word_of(const std::optional<base::Fault>& fault) {
  base::ByteWriter writer;
  put_fault(writer, fault);
  return writer.take();
}

std::optional<base::Fault> fault_in(const std::vector<std::byte>& word) {
  base::ByteReader reader(word);
  return get_fault(reader);
}

messaging::TreePlace place_among(const std::vector<int>& members, const comm::Communicator& communicator) {
  if (members.empty()) return {communicator.rank(), communicator.size()};
  const auto own = std::ranges::lower_bound(members, communicator.rank());
  return {static_cast<int>(own - members.begin()), static_cast<int>(members.size())};
}

}  // namespace

Tree::Tree(comm::Communicator& component) : Tree(component, Tags{}, {}) {}

Tree::Tree(comm::Communicator& communicator, Tags tags, std::vector<int> members)
    : component_(communicator),
      tags_(tags),
      members_(std::move(members)),
      place_(place_among(members_, communicator)) {}

int Tree::rank_of(int place) const {
  return members_.empty() ? place : members_[static_cast<std::size_t>(place)];
}

void Tree::up(std::vector<std::byte> word) {
  sendings_.emplace_back(component_, std::move(word), rank_of(place_.parent), tags_.up);
}

void Tree::down(std::vector<std::byte> word) {
  const auto shared = std::make_shared<const std::vector<std::byte>>(std::move(word));
  for (const int child : place_.children)
    sendings_.emplace_back(component_, shared, rank_of(child), tags_.down);
}

std::optional<std::vector<std::byte>> Tree::from_child(std::size_t child) {
  return poll(component_, rank_of(place_.children[child]), tags_.up);
}

std::optional<std::vector<std::byte>> Tree::from_parent() {
  return poll(component_, rank_of(place_.parent), tags_.down);
}

std::vector<int> Tree::neighbours() const {
  std::vector<int> ranks;
  if (!is_first()) ranks.push_back(rank_of(place_.parent));
  for (const int child : place_.children) ranks.push_back(rank_of(child));
  return ranks;
}

void Tree::give_up(const base::Fault& fault) {
  if (!is_first())
    up(word_of(base::Fault{fault.code,
                           fmt::format("rank {} of the component {}", component_.rank(), fault.message)}));
  down(word_of(fault));
}

bool Tree::sent() {
  std::erase_if(sendings_, [](Sending& sending) { return sending.done(); });
  return sendings_.empty();
}

std::vector<std::byte> hear_child(Tree& tree, std::size_t child, const std::function<void()>& meanwhile) {
  std::optional<std::vector<std::byte>> word;
  while (!(word = tree.from_child(child))) meanwhile();
  return std::move(*word);
}

void settle(Tree& tree, double seconds) {
  const double end = env::steady_seconds() + seconds;
  while (!tree.sent() && env::steady_seconds() < end)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

std::optional<base::Fault> meet(Tree& tree, const std::function<bool()>& through,
                                const std::function<void()>& meanwhile) {
  std::vector<unsigned char> heard(tree.children(), 0);
  bool said = false;
  for (;;) {
    const bool done = through();
    for (std::size_t child = 0; child < heard.size(); ++child) {
      const auto word = heard[child] ? std::nullopt : tree.from_child(child);
      if (!word) continue;
      heard[child] = 1;
      const auto fault = fault_in(*word);
      if (!fault || said) continue;
      if (tree.is_first()) throw Error(fault->code, fault->message);
      tree.up(*word);
      said = true;
    }
    if (done && !said && std::ranges::all_of(heard, [](auto one) { return one != 0; })) {
      said = true;
      if (!tree.is_first()) {
        tree.up(word_of(std::nullopt));
      } else {
        tree.down(word_of(std::nullopt));
        return std::nullopt;
      }
    }
    if (!tree.is_first()) {
      if (const auto word = tree.from_parent()) {
        tree.down(*word);
        return fault_in(*word);
      }
    }
    meanwhile();
  }
}

}  // namespace tailrace::handshake
