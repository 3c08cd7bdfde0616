// A child process that communicates by messages, which can have bytes in shared memory attached. The socket
// and the memory have no names in the file system, and the end of either process is noticed at once.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/shared_pages.hpp"

namespace tailrace::env {

// Not safe from several threads at a time, but for interrupt().
class Child {
 public:
  // The program is searched on the PATH. `{socket}` in an argument is replaced by the number of the
  // descriptor of its connection to this process, a Unix socket of type SOCK_SEQPACKET. It inherits standard
  // output and error, and the environment without the variables of an MPI launcher, since it is not a rank.
  // Throws Error(resource) with the program and the system's message.
  explicit Child(std::vector<std::string> command);
  ~Child();  // kills it if it still runs, and waits for its end
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // False if it has ended or has closed its socket. Blocks while the socket's buffer is full (thousands of
  // messages).
  bool send(std::string_view message);
  // The same, with the descriptor of a file in memory to which the bytes are copied. The file exists as long
  // as a process has the descriptor. Throws Error(resource) if there is not enough memory.
  bool send(std::string_view message, std::span<const std::byte> attached);
  // The same with memory that is already filled; nothing is copied.
  bool send(std::string_view message, const SharedPages& pages);
  // The next message. Blocks for at most `seconds`; nothing if none came, or if the child has ended.
  std::optional<std::string> receive(double seconds);
  // The same, with the memory that the child attached. Throws Error(resource) if it cannot be mapped.
  struct Received {
    std::string message;
    ReceivedPages pages;
  };
  std::optional<Received> receive_with_pages(double seconds);
  bool is_heard() const { return socket_ >= 0; }  // false once it has ended or closed its socket
  // From any thread: closes the connection, so that a call in progress returns as if the child had ended.
  void interrupt();
  std::string ending();  // how it ended, as text; blocks for at most a second if it still runs

 private:
  bool send(std::string_view message, int descriptor);
  void hang_up();

  int process_ = -1;
  std::mutex mutex_;  // of closing the socket
  int socket_ = -1;
  std::optional<int> status_;
};

}  // namespace tailrace::env
