#include "messaging/collectives/tree_allreduce.hpp"

#include <algorithm>
#include <utility>

#include "base/index.hpp"
#include "messaging/collectives/tree_place.hpp"

namespace tailrace::messaging {

TreeAllreduce::TreeAllreduce(Messenger& messenger, Kinds kinds, Callbacks callbacks_)
    : messenger_(messenger),
      kinds_(kinds),
      callbacks_(std::move(callbacks_)),
      heard_(static_cast<std::size_t>(messenger.size()), 0) {
  messenger_.on(kinds_.up, [this](int from, Bytes&& message) { on_up(from, message); });
  messenger_.on(kinds_.down, [this](int, Bytes&& message) { on_down(message); });
  messenger_.on(kinds_.direct, [this](int from, Bytes&& message) { on_direct(from, message); });
}

int TreeAllreduce::heard() const { return static_cast<int>(std::ranges::count(heard_, 1)); }

void TreeAllreduce::say(const Bytes& own) {
  if (std::exchange(said_, true)) return;
  own_ = own;
  heard_[base::index(messenger_.rank())] = 1;
  callbacks_.join(own_);
  pass_on();
  if (has_gap_) tell_each();
  end_if_all();
}

void TreeAllreduce::on_up(int from, const Bytes& message) {
  const TreePlace below(from, messenger_.size());
  for (int server = from; server < below.end; ++server) heard_[base::index(server)] = 1;
  callbacks_.join(message);
  pass_on();
  end_if_all();
}

// The first server sends the result to itself too, as to any other server.
void TreeAllreduce::pass_on() {
  const TreePlace place(messenger_.rank(), messenger_.size());
  const bool all_below = std::all_of(heard_.begin() + messenger_.rank(), heard_.begin() + place.end,
                                     [](auto one) { return one != 0; });
  if (!said_ || !all_below || has_gap_ || std::exchange(passed_on_, true)) return;
  if (place.parent >= 0)
    messenger_.send(place.parent, kinds_.up, callbacks_.all());
  else
    messenger_.send(messenger_.rank(), kinds_.down, callbacks_.all());
}

void TreeAllreduce::on_down(const Bytes& message) {
  if (std::exchange(over_, true)) return;
  for (const int child : TreePlace(messenger_.rank(), messenger_.size()).children)
    messenger_.send(child, kinds_.down, Bytes(message));
  std::ranges::fill(heard_, 1);
  callbacks_.over(message);
}

void TreeAllreduce::lose(int server) {
  heard_[base::index(server)] = 1;
  has_gap_ = true;
  if (said_) tell_each();
  end_if_all();
}

void TreeAllreduce::tell_each() {
  if (std::exchange(told_each_, true)) return;
  for (int server = 0; server < messenger_.size(); ++server)
    if (server != messenger_.rank()) messenger_.send(server, kinds_.direct, Bytes(own_));
}

// The sender knows of a loss that this server may not have noticed yet, and waits for its contribution.
void TreeAllreduce::on_direct(int from, const Bytes& message) {
  has_gap_ = true;
  if (std::exchange(heard_[base::index(from)], 1) == 0) callbacks_.join(message);
  if (said_) tell_each();
  end_if_all();
}

void TreeAllreduce::end_if_all() {
  if (!has_gap_ || over_ || std::ranges::count(heard_, 0) > 0) return;
  over_ = true;
  callbacks_.over(callbacks_.all());
}

}  // namespace tailrace::messaging
