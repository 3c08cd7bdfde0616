// Gathers one message of each server per round on one server, the root.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "messaging/collectives/tree_place.hpp"
#include "messaging/messenger.hpp"

namespace tailrace::messaging {

// The messages move up a tree and are joined on the way, so no server sends or receives more than a few
// messages per round. A server may be several rounds ahead of others. If a server is lost, the root does not
// get the messages of the servers below it. Communication thread only.
class TreeGather {
 public:
  // `over`: called on the root, in a later progress(), once per round in order, with the concatenated
  // messages of all servers. The messenger must live longer.
  TreeGather(Messenger& messenger, std::int32_t kind, int root, std::function<void(const Bytes& all)> over);
  TreeGather(const TreeGather&) = delete;
  TreeGather& operator=(const TreeGather&) = delete;

  void say(const Bytes& own);  // once per round

 private:
  void hear(int from, Bytes&& message);

  Messenger& messenger_;
  std::int32_t kind_;
  TreePlace place_;
  std::function<void(const Bytes&)> over_;
  std::vector<std::deque<Bytes>> waiting_;  // by source
};

}  // namespace tailrace::messaging
