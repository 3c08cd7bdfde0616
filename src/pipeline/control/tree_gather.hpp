// What each server of a component says to one of them, the root, once a round.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "pipeline/control/control_channel.hpp"
#include "pipeline/control/tree_place.hpp"

namespace tailrace::pipeline {

// The messages go up a tree and are joined on the way, so that no server sends or takes more than a few
// messages a round. A server may be rounds ahead of others. The loss of a server keeps the messages of those
// below it from the root. Communication thread only.
class TreeGather {
 public:
  // `over`: on the root, in a later progress, round by round: the messages of all, one behind the other.
  // `messages` must live longer.
  TreeGather(ControlChannel& control, ControlMessage kind, int root,
             std::function<void(const messaging::Bytes& all)> over);
  TreeGather(const TreeGather&) = delete;
  TreeGather& operator=(const TreeGather&) = delete;

  void say(const messaging::Bytes& own);  // once a round

 private:
  void hear(int from, messaging::Bytes&& message);

  ControlChannel& control_;
  ControlMessage kind_;
  TreePlace place_;
  std::function<void(const messaging::Bytes&)> over_;
  std::vector<std::deque<messaging::Bytes>> waiting_;  // by source
};

}  // namespace tailrace::pipeline
