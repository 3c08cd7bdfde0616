// Memory of the heap that is aligned like the payloads in a ring.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "transport/ring/ring_layout.hpp"

namespace tailrace::transport {

struct AlignedDelete {
  void operator()(std::byte* bytes) const { ::operator delete (bytes, std::align_val_t{alignment}); }
};
using AlignedBytes = std::unique_ptr<std::byte[], AlignedDelete>;

// Not initialised. At least one byte, so that an empty payload has an address too.
inline AlignedBytes allocate_aligned(std::size_t bytes) {
  return AlignedBytes(static_cast<std::byte*>(::operator new (bytes + 1, std::align_val_t{alignment})));
}

}  // namespace tailrace::transport
