// A process that this one starts and talks to in messages, each of which may carry bytes that lie in memory
// both can see. It has no name on the file system, and its end is noticed at once.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/shared_pages.hpp"

namespace tailrace::env {

// One thread at a time.
class Child {
 public:
  // The program is looked for on the PATH. `{socket}` in an argument becomes the number of the descriptor by
  // which it hears from this process: a Unix socket of type SOCK_SEQPACKET. It inherits standard output and
  // error, and the environment without the variables of an MPI launcher, since it is no rank. Throws
  // Error(resource) that says what was started and what the system said.
  explicit Child(std::vector<std::string> command);
  ~Child();  // kills it, unless it has ended, and waits for its end
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // False when it has ended, or listens no more. Blocks while thousands of messages wait.
  bool send(std::string_view message);
  // The same, with a descriptor of a file in memory that holds the bytes; they are copied once, and live as
  // long as somebody holds the descriptor. Throws Error(resource) where there is no memory.
  bool send(std::string_view message, std::span<const std::byte> attached);
  // The same with memory that is filled already; nothing is copied.
  bool send(std::string_view message, const SharedPages& pages);
  // The next message. Waits at most so long; nothing when none came, or none will.
  std::optional<std::string> receive(double seconds);
  bool is_heard() const { return socket_ >= 0; }  // until it has ended or closed its end
  std::string ending();  // how it ended, for people; waits at most a second for it, then says that it lives

 private:
  bool send(std::string_view message, int descriptor);
  void hang_up();

  int process_ = -1;
  int socket_ = -1;
  std::optional<int> status_;
};

}  // namespace tailrace::env
