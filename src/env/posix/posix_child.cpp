#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "env/child.hpp"
#include "env/clock.hpp"

extern char** environ;

namespace tailrace::env {
namespace {

constexpr std::size_t most_bytes = 64 * 1024;  // of a message
constexpr const char* socket_word = "{socket}";

[[noreturn]] void fail(const std::string& what, int error) {
  throw Error(ErrorCode::resource, fmt::format("{}: {}", what, std::strerror(error)));
}

// With these variables an MPI library would take the process for a rank of the job.
bool is_of_launcher(std::string_view variable) {
  for (const std::string_view prefix : {"OMPI_", "PMIX_", "PMI_", "PRTE_", "MPI_LOCAL", "HYDI_"})
    if (variable.starts_with(prefix)) return true;
  return false;
}

std::vector<char*> environment_of_no_rank() {
  std::vector<char*> variables;
  for (char** each = environ; *each != nullptr; ++each)
    if (!is_of_launcher(*each)) variables.push_back(*each);
  variables.push_back(nullptr);
  return variables;
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  int take() { return std::exchange(number_, -1); }

 private:
  int number_;
};

// The child gets the descriptor under the same number: dup2 of a descriptor to itself makes it inherited.
int spawn(std::vector<std::string>& command, int inherited) {
  std::vector<char*> arguments;
  for (std::string& each : command) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  std::vector<char*> environment = environment_of_no_rank();
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, inherited, inherited);
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t process = -1;
  const int error =
      posix_spawnp(&process, arguments.front(), &actions, &attributes, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) fail(fmt::format("cannot start {}", command.front()), error);
  return process;
}

int file_in_memory(std::span<const std::byte> bytes) {
  Descriptor file(::memfd_create("tailrace step", MFD_CLOEXEC));
  if (file.number() < 0) fail("cannot make a file in memory", errno);
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("cannot write to a file in memory", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return file.take();
}

}  // namespace

Child::Child(std::vector<std::string> command) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    fail(fmt::format("cannot start {}", command.front()), errno);
  Descriptor own(ends[0]);
  const Descriptor theirs(ends[1]);
  for (std::string& each : command)
    if (const auto at = each.find(socket_word); at != std::string::npos)
      each.replace(at, std::strlen(socket_word), fmt::format("{}", theirs.number()));
  process_ = spawn(command, theirs.number());
  socket_ = own.take();
}

Child::~Child() {
  hang_up();
  if (status_) return;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Child::interrupt() {
  const std::lock_guard lock(mutex_);
  if (socket_ >= 0) ::shutdown(socket_, SHUT_RDWR);
}

void Child::hang_up() {
  const std::lock_guard lock(mutex_);
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

bool Child::send(std::string_view message) { return send(message, -1); }

bool Child::send(std::string_view message, std::span<const std::byte> attached) {
  const Descriptor file(file_in_memory(attached));
  return send(message, file.number());
}

bool Child::send(std::string_view message, const SharedPages& pages) {
  return send(message, pages.descriptor());
}

bool Child::send(std::string_view message, int descriptor) {
  if (socket_ < 0) return false;
  iovec part{const_cast<char*>(message.data()), message.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (descriptor >= 0) {
    header.msg_control = room.data();
    header.msg_controllen = room.size();
    cmsghdr* const control = CMSG_FIRSTHDR(&header);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(control), &descriptor, sizeof descriptor);
  }
  ssize_t sent = -1;
  do sent = ::sendmsg(socket_, &header, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent < 0) hang_up();
  return sent >= 0;
}

std::optional<std::string> Child::receive(double seconds) {
  auto received = receive_with_pages(seconds);
  if (!received) return std::nullopt;
  return std::move(received->message);
}

std::optional<Child::Received> Child::receive_with_pages(double seconds) {
  if (socket_ < 0) return std::nullopt;
  const double end = steady_seconds() + seconds;
  pollfd waited{socket_, POLLIN, 0};
  for (;;) {
    const double left = std::max(0.0, end - steady_seconds());
    const int ready = ::poll(&waited, 1, static_cast<int>(1e3 * std::min(left, 1e6)));
    if (ready == 0) return std::nullopt;
    if (ready > 0) break;
    if (errno != EINTR) return std::nullopt;
  }
  std::string message(most_bytes, '\0');
  iovec part{message.data(), message.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = room.data();
  header.msg_controllen = room.size();
  const ssize_t size = ::recvmsg(socket_, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (size <= 0) {
    if (size == 0 || (errno != EAGAIN && errno != EINTR)) hang_up();
    return std::nullopt;
  }
  message.resize(static_cast<std::size_t>(size));
  const cmsghdr* const control = CMSG_FIRSTHDR(&header);
  if (control == nullptr || control->cmsg_type != SCM_RIGHTS) return Received{std::move(message), {}};
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(control), sizeof descriptor);
  return Received{std::move(message), ReceivedPages(descriptor)};
}

std::string Child::ending() {
  const double end = steady_seconds() + 1.0;
  while (!status_ && steady_seconds() < end) {
    int status = 0;
    const pid_t ended = ::waitpid(process_, &status, WNOHANG);
    if (ended == process_) status_ = status;
    if (ended < 0 && errno == ECHILD) status_ = 0;  // other code of the process has waited for it
    if (!status_) ::usleep(2000);
  }
  if (!status_) return "it still lives";
  if (WIFSIGNALED(*status_))
    return fmt::format("ended by signal {} ({})", WTERMSIG(*status_), ::strsignal(WTERMSIG(*status_)));
  return fmt::format("ended with status {}", WEXITSTATUS(*status_));
}

}  // namespace tailrace::env
