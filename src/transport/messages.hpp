// Error messages that all transports share.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "transport/transport.hpp"

namespace tailrace::transport {

Error too_large(std::size_t payload, std::size_t capacity);
Error buffer_full(std::size_t payload, std::size_t under_way, std::size_t capacity, Sender sender);
// `packets`: how many the receiver had not released.
Error receiver_lost(Sender sender, const char* what, std::uint64_t packets);

// The size of the buffer: whole pages, at least one. Throws Error(usage) if it is 0.
std::size_t capacity_of(const BufferOptions& options);

}  // namespace tailrace::transport
