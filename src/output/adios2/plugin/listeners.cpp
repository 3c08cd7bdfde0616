#include "output/adios2/plugin/listeners.hpp"

#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>

namespace tailrace::output::adios2 {
namespace {

bool listens(int descriptor) {
  int accepts = 0;
  socklen_t size = sizeof accepts;
  if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &size) != 0 || accepts == 0) return false;
  sockaddr_storage address{};
  size = sizeof address;
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) return false;
  return address.ss_family == AF_INET;
}

}  // namespace

Listeners listeners() {
  Listeners found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
    const int descriptor = std::stoi(entry.path().filename().string());
    if (listens(descriptor)) found.insert(descriptor);
  }
  return found;
}

Listeners listeners_since(const Listeners& before) {
  const Listeners now = listeners();
  Listeners fresh;
  std::ranges::set_difference(now, before, std::inserter(fresh, fresh.begin()));
  return fresh;
}

// A classic BPF program over the source address of the IPv4 header: it keeps packets of 127.0.0.0/8. Sockets
// that are accepted have the program of the one that listened.
void keep_to_loopback(const Listeners& sockets) {
  constexpr auto source = static_cast<std::uint32_t>(SKF_NET_OFF + 12);
  std::array<sock_filter, 4> program{{BPF_STMT(BPF_LD | BPF_B | BPF_ABS, source),
                                      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 127, 0, 1),
                                      BPF_STMT(BPF_RET | BPF_K, 0xffffffffU), BPF_STMT(BPF_RET | BPF_K, 0)}};
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  for (const int descriptor : sockets)
    if (setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) != 0)
      throw std::runtime_error(std::string("its port cannot be kept to this node: ") + std::strerror(errno));
}

void keep_to_user(const std::string& file) {
  std::filesystem::permissions(file,
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

}  // namespace tailrace::output::adios2
