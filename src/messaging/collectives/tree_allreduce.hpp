// Something that each server says once, and of which each hears when all have said it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "messaging/messenger.hpp"

namespace tailrace::messaging {

// It goes up a tree to the first server, joined on the way, and what comes of it goes down: no server sends
// or takes more than a few messages. Once a server is lost each of those that are left tells each other, for
// the tree has a gap. Communication thread only.
class TreeAllreduce {
 public:
  struct Kinds {
    std::int32_t up, down, direct;
  };
  struct Callbacks {
    std::function<void(const Bytes&)> join;  // what another says, or all below it
    std::function<Bytes()> all;              // what this server and all that it has heard say
    std::function<void(const Bytes&)> over;  // once, on each server: all have said it; that of the first
  };
  // The messenger must live longer.
  TreeAllreduce(Messenger& messenger, Kinds kinds, Callbacks callbacks_);
  TreeAllreduce(const TreeAllreduce&) = delete;
  TreeAllreduce& operator=(const TreeAllreduce&) = delete;

  void say(const Bytes& own);  // once
  void lose(int server);       // it is waited for no more; each server is told so
  bool said() const { return said_; }
  bool over() const { return over_; }
  int heard() const;  // servers of which this one knows that they have said it, or are lost

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
