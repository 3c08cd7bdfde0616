#include "input/reader/process/wire.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

namespace tailrace::input::process {
namespace {

using nlohmann::json;

constexpr std::size_t most_bytes = 64 * 1024;  // of a message

// _exit, since another thread may be inside a library whose functions at exit would wait for it.
[[noreturn]] void end_without_server() { ::_exit(0); }

void watch(int socket) {
  for (;;) {
    pollfd waited{socket, 0, 0};
    if (::poll(&waited, 1, -1) > 0 && (waited.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0)
      end_without_server();
  }
}

}  // namespace

Pages::Pages(std::size_t size)
    : size_(size), descriptor_(::memfd_create("tailrace input", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  // Allocated here, so that a lack of memory is an answer and not a signal.
  const bool has_room =
      descriptor_ >= 0 && (size == 0 || ::posix_fallocate(descriptor_, 0, static_cast<off_t>(size)) == 0);
  void* const mapped = has_room && size > 0 ? ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                                     MAP_SHARED | MAP_POPULATE, descriptor_, 0)
                                            : MAP_FAILED;
  if (has_room && (size == 0 || mapped != MAP_FAILED)) {
    ::fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
    mapped_ = size == 0 ? nullptr : mapped;
    return;
  }
  if (descriptor_ >= 0) ::close(descriptor_);
  throw Refusal("cannot get " + std::to_string(size) + " bytes of shared memory");
}

Pages::~Pages() {
  if (mapped_ != nullptr) ::munmap(mapped_, size_);
  ::close(descriptor_);
}

Wire::Wire(int socket) : socket_(socket) { std::thread(watch, socket).detach(); }

json Wire::receive() {
  std::string message(most_bytes, '\0');
  ssize_t size = -1;
  do size = ::recv(socket_, message.data(), message.size(), 0);
  while (size < 0 && errno == EINTR);
  if (size <= 0) end_without_server();
  json request = json::parse(message.begin(), message.begin() + size, nullptr, false);
  if (!request.is_object()) throw Refusal("the request is no JSON object");
  return request;
}

void Wire::answer(const json& message, const Pages* pages) {
  const std::string text = message.dump(-1, ' ', false, json::error_handler_t::replace);
  iovec part{const_cast<char*>(text.data()), text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (pages != nullptr) {
    header.msg_control = room.data();
    header.msg_controllen = room.size();
    cmsghdr* const control = CMSG_FIRSTHDR(&header);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int));
    const int descriptor = pages->descriptor();
    std::memcpy(CMSG_DATA(control), &descriptor, sizeof descriptor);
  }
  ssize_t sent = -1;
  do sent = ::sendmsg(socket_, &header, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent < 0) end_without_server();
}

}  // namespace tailrace::input::process
