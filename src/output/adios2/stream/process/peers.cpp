#include "output/adios2/stream/process/peers.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace tailrace::output::adios2::stream {
namespace {

bool is_established(int descriptor) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size) != 0 || peer.ss_family != AF_INET)
    return false;
  tcp_info info{};
  size = sizeof info;
  return getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
         info.tcpi_state == TCP_ESTABLISHED;
}

}  // namespace

int connected_peers() {
  int count = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored))
    if (is_established(std::stoi(entry.path().filename().string()))) ++count;
  return count;
}

}  // namespace tailrace::output::adios2::stream
