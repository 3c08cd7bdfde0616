#include "output/adios2/stream/process/channel.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace tailrace::output::adios2::stream {

Mapping::Mapping(int descriptor) {
  struct stat found {};
  void* mapped = MAP_FAILED;
  if (::fstat(descriptor, &found) == 0)
    mapped = ::mmap(nullptr, static_cast<std::size_t>(found.st_size), PROT_READ, MAP_SHARED | MAP_POPULATE,
                    descriptor, 0);
  const int error = errno;
  ::close(descriptor);
  if (mapped == MAP_FAILED)
    throw std::runtime_error(std::string("a step cannot be mapped: ") + std::strerror(error));
  bytes_ = {static_cast<const std::byte*>(mapped), static_cast<std::size_t>(found.st_size)};
}

Mapping::~Mapping() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

Mapping::Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

std::optional<Message> Channel::receive() const {
  std::array<char, 256> text{};
  iovec part{text.data(), text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = room.data();
  header.msg_controllen = room.size();
  ssize_t size = -1;
  do size = ::recvmsg(socket_, &header, MSG_CMSG_CLOEXEC);
  while (size < 0 && errno == EINTR);
  if (size <= 0) return std::nullopt;
  const std::string whole(text.data(), static_cast<std::size_t>(size));
  const auto space = whole.find(' ');
  Message message{whole.substr(0, space), space == std::string::npos ? "" : whole.substr(space + 1), {}};
  if (const cmsghdr* control = CMSG_FIRSTHDR(&header); control != nullptr) {
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(control), sizeof descriptor);
    message.attached = Mapping(descriptor);
  }
  return message;
}

void Channel::send(const std::string& message) const {
  while (::send(socket_, message.data(), message.size(), MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

}  // namespace tailrace::output::adios2::stream
