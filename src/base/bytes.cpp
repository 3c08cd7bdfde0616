#include "base/bytes.hpp"

namespace tailrace::base {

void ByteWriter::put_bytes(std::span<const std::byte> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

}  // namespace tailrace::base
