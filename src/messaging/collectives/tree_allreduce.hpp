// A contribution of each server, once, and its result on every server.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "messaging/messenger.hpp"

namespace tailrace::messaging {

// Contributions go up a tree to the first server, joined on the way, and the result comes down: no server
// sends or receives more than a few messages. Once a server is lost, the tree has a gap, and each of the
// servers that are left sends its contribution to each other. Communication thread only.
class TreeAllreduce {
 public:
  struct Kinds {
    std::int32_t up, down, direct;
  };
  struct Callbacks {
    std::function<void(const Bytes&)> join;  // the contribution of another, or of all below it
    std::function<Bytes()> all;              // of this server and all that it has received
    std::function<void(const Bytes&)> over;  // once, on each server, with the first server's `all`
  };
  // The messenger must live longer.
  TreeAllreduce(Messenger& messenger, Kinds kinds, Callbacks callbacks_);
  TreeAllreduce(const TreeAllreduce&) = delete;
  TreeAllreduce& operator=(const TreeAllreduce&) = delete;

  void say(const Bytes& own);  // once
  void lose(int server);       // is not waited for any more; called on each server
  bool said() const { return said_; }
  bool over() const { return over_; }
  int heard() const;  // servers that have contributed or are lost, as far as this one knows

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
  bool has_gap_ = false;              // a server is lost: each tells each
  bool told_each_ = false;            // by this one
  std::vector<unsigned char> heard_;  // by server
};

}  // namespace tailrace::messaging
