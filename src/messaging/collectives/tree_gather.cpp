#include "messaging/collectives/tree_gather.hpp"

#include <algorithm>
#include <utility>

namespace tailrace::messaging {

TreeGather::TreeGather(Messenger& messenger, std::int32_t kind, int root,
                       std::function<void(const Bytes&)> over)
    : messenger_(messenger),
      kind_(kind),
      place_(messenger.rank(), messenger.size(), root),
      over_(std::move(over)),
      waiting_(place_.sources()) {
  messenger_.on(kind, [this](int from, Bytes&& message) { hear(from, std::move(message)); });
}

void TreeGather::say(const Bytes& own) { messenger_.send(messenger_.rank(), kind_, Bytes(own)); }

void TreeGather::hear(int from, Bytes&& message) {
  waiting_[place_.source_of(from)].push_back(std::move(message));
  if (std::ranges::any_of(waiting_, [](const auto& one) { return one.empty(); })) return;
  Bytes all;
  for (auto& one : waiting_) {
    all.insert(all.end(), one.front().begin(), one.front().end());
    one.pop_front();
  }
  if (place_.parent < 0)
    over_(all);
  else
    messenger_.send(place_.parent, kind_, std::move(all));
}

}  // namespace tailrace::messaging
