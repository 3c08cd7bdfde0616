// Runs the two parts of a case at the same time.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "transport/testing/transport_conformance.hpp"

namespace tailrace::transport::testing {

// The sender in a thread of its own.
inline void in_threads(const Case& what, std::unique_ptr<Producer> producer,
                       std::unique_ptr<Consumer> consumer, Doorbell& doorbell) {
  std::exception_ptr sender_error;
  std::exception_ptr receiver_error;
  std::thread sender([&, owned = std::move(producer)]() mutable {
    try {
      what.produce(*owned);
    } catch (...) {
      sender_error = std::current_exception();
    }
    owned.reset();
  });
  try {
    what.consume(*consumer, doorbell);
  } catch (...) {
    receiver_error = std::current_exception();
  }
  consumer.reset();
  sender.join();
  if (receiver_error) std::rethrow_exception(receiver_error);
  if (sender_error) std::rethrow_exception(sender_error);
}

// Runs `child` in a process of its own and gives its exit status, -1 if a signal ended it.
class Child {
 public:
  template <class Function>
  explicit Child(Function function) : process_(fork()) {
    if (process_ != 0) return;
    int status = 0;
    try {
      function();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "in the child process: %s\n", error.what());
      status = 1;
    }
    _exit(status);
  }
  ~Child() {
    if (process_ > 0) static_cast<void>(wait());
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  pid_t process() const { return process_; }
  int wait() {
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t process_;
};

// Carries a few bytes from one process to another; read waits for them.
struct Pipe {
  Pipe() {
    if (pipe(ends) != 0) throw std::runtime_error("pipe");
  }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  void write(const std::string& text) const {
    if (::write(ends[1], text.data(), text.size()) < 0) throw std::runtime_error("write");
  }
  std::string read() const {
    std::string text(4096, '\0');
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(ends[0], text.data(), text.size()))));
    return text;
  }
  int ends[2];
};

}  // namespace tailrace::transport::testing
