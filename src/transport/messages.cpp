#include "transport/messages.hpp"

#include <fmt/format.h>

#include "transport/ring_layout.hpp"

namespace tailrace::transport {

Error too_large(std::size_t payload, std::size_t capacity) {
  return {ErrorCode::usage, fmt::format("a record of {} bytes can never fit into the buffer of {} bytes "
                                        "(servers.buffer), of which it needs {}; "
                                        "give a larger buffer, or when_full: spill",
                                        payload, capacity, record_size(payload))};
}

Error buffer_full(std::size_t payload, std::size_t under_way, std::size_t capacity) {
  return {ErrorCode::full, fmt::format("no room for a record of {} bytes: {} of the {} bytes of the buffer "
                                       "(servers.buffer) are under way to the "
                                       "server, and when_full is fail",
                                       payload, under_way, capacity)};
}

Error server_lost(const char* what, std::uint64_t records) {
  return {
      ErrorCode::lost,
      fmt::format("the server is gone ({}); {} records that it had not released are lost", what, records)};
}

std::size_t capacity_of(const BufferOptions& options) {
  if (options.bytes == 0) throw Error(ErrorCode::usage, "servers.buffer is 0; expected at least 1 KiB");
  return (options.bytes + 4095) / 4096 * 4096;
}

}  // namespace tailrace::transport
