// Combines one contribution of each server, and gives the result to every server.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "messaging/messenger.hpp"

namespace tailrace::messaging {

// Contributions are combined on the way up a tree to the first server, and the result comes down, so no
// server sends or receives more than a few messages. A lost server leaves a gap in the tree; then each
// remaining server sends its contribution directly to each other one. Communication thread only.
class TreeAllreduce {
 public:
  struct Kinds {
    std::int32_t up, down, direct;
  };
  struct Callbacks {
    std::function<void(const Bytes&)> join;  // adds the contribution of one server, or of all below it
    std::function<Bytes()> all;              // contributions of this server and of all it has received
    std::function<void(const Bytes&)> over;  // once on each server, with the result
  };
  // The messenger must live longer.
  TreeAllreduce(Messenger& messenger, Kinds kinds, Callbacks callbacks_);
  TreeAllreduce(const TreeAllreduce&) = delete;
  TreeAllreduce& operator=(const TreeAllreduce&) = delete;

  void say(const Bytes& own);  // once
  void lose(int server);       // the server is no longer waited for; call on each server
  bool said() const { return said_; }
  bool over() const { return over_; }
  int heard() const;  // number of servers that this one knows to have contributed or to be lost

 private:
  void on_up(int from, const Bytes& message);
  void on_down(const Bytes& message);
  void on_direct(int from, const Bytes& message);
  void pass_on();
  void tell_each();
  void end_if_all();

  Messenger& messenger_;
  Kinds kinds_;
  Callbacks callbacks_;
  Bytes own_;
  bool said_ = false, over_ = false;
  bool passed_on_ = false;            // up the tree, or down from the first server
  bool has_gap_ = false;              // a server is lost: each server sends to each
  bool told_each_ = false;            // by this one
  std::vector<unsigned char> heard_;  // by server
};

}  // namespace tailrace::messaging
