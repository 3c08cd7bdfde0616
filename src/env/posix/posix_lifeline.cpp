#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <random>

#include "base/error.hpp"
#include "env/clock.hpp"
#include "env/lifeline.hpp"

namespace tailrace::env {
namespace {

constexpr char bye = 'b';
constexpr double patience_with_strangers = 10.0;  // seconds
constexpr std::size_t most_strangers = 64;
constexpr std::size_t most_hosts = 16;
constexpr int backlog = 256;
// TCP keep-alive: the other operating system answers probes whatever its process does. Without an answer the
// connection ends.
constexpr int seconds_idle = 1, seconds_between = 1, probes = 3;
constexpr unsigned int milliseconds_unanswered = 3500;  // for sent data (TCP_USER_TIMEOUT)

int new_socket(int family) { return ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

void set(int socket, int level, int option, int value) {
  setsockopt(socket, level, option, &value, sizeof value);
}

void keep_alive(int socket) {
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, seconds_idle);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, seconds_between);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, probes);
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds_unanswered, sizeof milliseconds_unanswered);
}

bool send_whole(int socket, const void* bytes, std::size_t size) {  // a few bytes always fit into the buffer
  return ::send(socket, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(size);
}

// A socket for IPv6 and IPv4 if the system has IPv6, otherwise for IPv4.
std::optional<Socket> listen_at_any_port() {
  Socket dual(new_socket(AF_INET6));
  if (dual.is_open()) {
    set(dual.number(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    any.sin6_addr = in6addr_any;
    if (::bind(dual.number(), reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0 &&
        ::listen(dual.number(), backlog) == 0)
      return dual;
  }
  Socket old(new_socket(AF_INET));
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_ANY);
  if (old.is_open() && ::bind(old.number(), reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0 &&
      ::listen(old.number(), backlog) == 0)
    return old;
  return std::nullopt;
}

std::uint16_t port_of(int socket) {
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) != 0) return 0;
  return own.ss_family == AF_INET6 ? ntohs(reinterpret_cast<const sockaddr_in6*>(&own)->sin6_port)
                                   : ntohs(reinterpret_cast<const sockaddr_in*>(&own)->sin_port);
}

std::string text_of(const sockaddr& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.sa_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text, sizeof text);
  } else if (address.sa_family == AF_INET6) {
    const in6_addr& host = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    if (!IN6_IS_ADDR_LINKLOCAL(&host))
      inet_ntop(AF_INET6, &host, text, sizeof text);  // link-local addresses are valid only here
  }
  return text;
}

// Loopback only if there is no other interface: on another node it would be that node itself.
std::vector<std::string> own_hosts() {
  std::vector<std::string> hosts, loopback;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return {"127.0.0.1"};
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0) continue;
    const std::string text = text_of(*one->ifa_addr);
    if (!text.empty()) ((one->ifa_flags & IFF_LOOPBACK) != 0 ? loopback : hosts).push_back(text);
  }
  freeifaddrs(all);
  if (hosts.empty()) return loopback;
  if (hosts.size() > most_hosts) hosts.resize(most_hosts);
  return hosts;
}

Socket begin_to_connect(const std::string& host, std::uint16_t port) {
  sockaddr_in6 newer{};
  sockaddr_in older{};
  const bool is_newer = inet_pton(AF_INET6, host.c_str(), &newer.sin6_addr) == 1;
  if (!is_newer && inet_pton(AF_INET, host.c_str(), &older.sin_addr) != 1) return Socket();
  newer.sin6_family = AF_INET6;
  older.sin_family = AF_INET;
  newer.sin6_port = older.sin_port = htons(port);
  Socket socket(new_socket(is_newer ? AF_INET6 : AF_INET));
  if (!socket.is_open()) return socket;
  const int done = is_newer
                       ? ::connect(socket.number(), reinterpret_cast<const sockaddr*>(&newer), sizeof newer)
                       : ::connect(socket.number(), reinterpret_cast<const sockaddr*>(&older), sizeof older);
  if (done != 0 && errno != EINPROGRESS) socket.close();
  return socket;
}

struct Introduction {
  std::uint64_t secret = 0, own = 0;
};

enum class Heard { nothing, bytes, end, silence, trouble };

// Receives all `size` bytes or none, since they were sent together.
Heard receive(int socket, void* bytes, std::size_t size) {
  const ssize_t got = ::recv(socket, bytes, size, MSG_DONTWAIT);
  if (got == static_cast<ssize_t>(size)) return Heard::bytes;
  if (got == 0 || (got < 0 && errno == ECONNRESET)) return Heard::end;
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return Heard::nothing;
  // Errors of the network or the host, which are reported if there was no answer for long enough.
  if (got < 0 && (errno == ETIMEDOUT || errno == EHOSTUNREACH || errno == ENETUNREACH || errno == EHOSTDOWN))
    return Heard::silence;
  return Heard::trouble;
}

}  // namespace

void Socket::close() {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

WatchedEnd::WatchedEnd() {
  auto listener = listen_at_any_port();
  if (!listener)
    throw Error(ErrorCode::resource, fmt::format("no port to listen at: {}", std::strerror(errno)));
  listener_ = std::move(*listener);
  std::random_device random;
  address_ = {own_hosts(), port_of(listener_.number()), (std::uint64_t{random()} << 32) | random()};
}

WatchedEnd::~WatchedEnd() {
  for (const Socket& watcher : watchers_) send_whole(watcher.number(), &bye, 1);
}

bool WatchedEnd::hear(UnauthenticatedPeer& peer) {
  Introduction shown;
  const Heard heard = receive(peer.socket.number(), &shown, sizeof shown);
  if (heard == Heard::nothing) return env::steady_seconds() < peer.came_at + patience_with_strangers;
  const std::uint64_t answer = ~address_.secret;
  if (heard == Heard::bytes && shown.secret == address_.secret &&
      send_whole(peer.socket.number(), &answer, sizeof answer)) {
    watchers_.push_back(std::move(peer.socket));
    known_.insert(shown.own);
  }
  return false;
}

std::size_t WatchedEnd::take_in() {
  while (listener_.is_open() && unauthenticated_.size() < most_strangers) {
    Socket come(::accept4(listener_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!come.is_open()) break;
    keep_alive(come.number());
    unauthenticated_.push_back({std::move(come), env::steady_seconds()});
  }
  std::erase_if(unauthenticated_, [this](UnauthenticatedPeer& peer) { return !hear(peer); });
  return known_.size();
}

void WatchedEnd::stop_listening() {
  listener_.close();
  unauthenticated_.clear();
}

Lifeline::Lifeline(const LifelineAddress& address, std::uint64_t own) : secret_(address.secret), own_(own) {
  if (address.port == 0) return;
  for (const std::string& host : address.hosts)
    if (Socket socket = begin_to_connect(host, address.port); socket.is_open())
      attempts_.push_back({std::move(socket)});
}

// False if the attempt has failed. The secret tells whether the address leads to the right machine.
bool Lifeline::advance(Attempt& attempt) {
  const int number = attempt.socket.number();
  pollfd ready{number, POLLOUT, 0};
  if (::poll(&ready, 1, 0) <= 0) return true;
  if (!attempt.has_sent) {
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(number, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) return false;
    keep_alive(number);
    const Introduction introduction{secret_, own_};
    attempt.has_sent = send_whole(number, &introduction, sizeof introduction);
    return attempt.has_sent;
  }
  std::uint64_t answer = 0;
  const Heard heard = receive(number, &answer, sizeof answer);
  if (heard == Heard::nothing) return true;
  if (heard == Heard::bytes && answer == ~secret_ && !socket_.is_open()) {
    socket_ = std::move(attempt.socket);
    state_ = State::open;
  }
  return false;
}

Lifeline::State Lifeline::look() {
  if (state_ == State::connecting) {
    std::erase_if(attempts_, [this](Attempt& attempt) { return !advance(attempt); });
    if (state_ == State::open)
      attempts_.clear();
    else if (attempts_.empty())
      state_ = State::unknown;
  }
  if (state_ != State::open) return state_;
  char word = 0;
  switch (receive(socket_.number(), &word, 1)) {
    case Heard::nothing: return state_;
    case Heard::bytes: state_ = word == bye ? State::let_go : State::unknown; break;
    case Heard::end: state_ = State::cut; break;
    case Heard::silence: state_ = State::silent; break;
    case Heard::trouble: state_ = State::unknown; break;
  }
  socket_.close();
  return state_;
}

}  // namespace tailrace::env
