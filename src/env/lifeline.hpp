// Detects the death of a process on another node: a TCP connection without data. The operating system closes
// it when the process ends, also when it is killed, and keeps it while the process is only stopped. TCP
// keep-alive probes detect the loss of the node or the network. Without it, ranks on other nodes would wait
// indefinitely for a server that died, since MPI does not report it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tailrace::env {

// Owns a socket's descriptor.
class Socket {
 public:
  explicit Socket(int number = -1) : number_(number) {}
  ~Socket() { close(); }
  Socket(Socket&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void close();

 private:
  int number_;
};

struct LifelineAddress {
  std::vector<std::string> hosts;  // numeric, IPv4 and IPv6: one for each interface of the node
  std::uint16_t port = 0;          // 0: not listening
  std::uint64_t secret = 0;        // authenticates watchers
};

// The end of the process that is watched. One thread; no call waits.
class WatchedEnd {
 public:
  WatchedEnd();   // listens, at a port that the system chooses. Throws Error(resource)
  ~WatchedEnd();  // tells all watchers that this is no death
  const LifelineAddress& address() const { return address_; }
  // Takes in who has come; returns how many have shown the secret since the start, each counted once.
  std::size_t take_in();
  void stop_listening();  // who has come stays
  bool listens() const { return listener_.is_open(); }

 private:
  struct UnauthenticatedPeer {  // until it has shown the secret
    Socket socket;
    double came_at;
  };
  bool hear(UnauthenticatedPeer& peer);

  Socket listener_;
  LifelineAddress address_;
  std::vector<UnauthenticatedPeer> unauthenticated_;
  std::vector<Socket> watchers_;
  std::set<std::uint64_t> known_;  // by the numbers that they gave
};

// The end of who watches. One thread; no call waits.
class Lifeline {
 public:
  enum class State {
    connecting,
    open,
    let_go,  // the other side has closed it by itself
    cut,     // its process has ended
    silent,  // its system answers no more: it is gone with its processes, or the network between
    unknown  // not to be reached, or no longer of use
  };
  // Begins to connect, to all hosts at once. `own`: a number that no other watcher of that end has.
  Lifeline(const LifelineAddress& address, std::uint64_t own);
  State look();
  State state() const { return state_; }  // when it was last looked at

 private:
  struct Attempt {
    Socket socket;
    bool has_sent = false;
  };
  bool advance(Attempt& attempt);

  std::uint64_t secret_, own_;
  State state_ = State::connecting;
  std::vector<Attempt> attempts_;
  Socket socket_;
};

}  // namespace tailrace::env
