// What each server tells one of them, the root, once a round.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "messaging/collectives/tree_place.hpp"
#include "messaging/messenger.hpp"

namespace tailrace::messaging {

// The messages go up a tree and are joined on the way, so that no server sends or takes more than a few
// messages a round. A server may be rounds ahead of others. The loss of a server keeps the messages of those
// below it from the root. Communication thread only.
class TreeGather {
 public:
  // `over`: on the root, in a later progress, round by round: the messages of all, one behind the other.
  // The messenger must live longer.
  TreeGather(Messenger& messenger, std::int32_t kind, int root, std::function<void(const Bytes& all)> over);
  TreeGather(const TreeGather&) = delete;
  TreeGather& operator=(const TreeGather&) = delete;

  void say(const Bytes& own);  // once a round

 private:
  void hear(int from, Bytes&& message);

  Messenger& messenger_;
  std::int32_t kind_;
  TreePlace place_;
  std::function<void(const Bytes&)> over_;
  std::vector<std::deque<Bytes>> waiting_;  // by source
};

}  // namespace tailrace::messaging
