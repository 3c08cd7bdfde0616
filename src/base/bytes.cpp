#include "base/bytes.hpp"

#include <algorithm>

namespace tailrace::base {

void ByteWriter::put_bytes(std::span<const std::byte> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

std::uint64_t digest(std::span<const std::byte> bytes, std::uint64_t before) {
  std::uint64_t hash = before;
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 1099511628211ull;
  return hash;
}

void fill_with(std::span<const std::byte> element, std::span<std::byte> target) {
  TAILRACE_ASSERT(!element.empty(), "elements have a size");
  // The filled part is copied behind itself, in pieces that stay in the cache.
  const std::size_t most = std::max(element.size(), std::size_t{4096} / element.size() * element.size());
  std::size_t done = std::min(element.size(), target.size());
  std::copy_n(element.begin(), done, target.begin());
  while (done < target.size()) {
    const std::size_t bytes = std::min({done, most, target.size() - done});
    std::memcpy(target.data() + done, target.data(), bytes);
    done += bytes;
  }
}

}  // namespace tailrace::base
