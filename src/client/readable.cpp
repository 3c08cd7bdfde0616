#include "client/readable.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "env/device_memory.hpp"

namespace tailrace::client {

std::string lies_on_gpu(const char* owner) {
  return fmt::format(
      "the array lies in the memory of a GPU ({}), where the processor cannot read it; copy it to the host "
      "first, or use managed memory",
      owner);
}

void check_readable(const std::string& what, const void* data, std::size_t elements) {
  if (elements == 0) return;
  if (data == nullptr)
    throw Error(ErrorCode::usage, fmt::format("{}: the array is NULL, but has {} elements", what, elements));
  const env::DeviceMemory devices;
  if (!devices.possible()) return;
  if (const char* owner = devices.owner_of(data))
    throw Error(ErrorCode::usage, fmt::format("{}: {}", what, lies_on_gpu(owner)));
}

}  // namespace tailrace::client
