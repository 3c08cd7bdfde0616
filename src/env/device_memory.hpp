// Detects memory of a GPU, which the processor cannot read.
#pragma once

#include <string>

namespace tailrace::env {

// Uses the GPU libraries that this process has loaded when the object is constructed. It neither loads nor
// initialises any: it calls CUDA's driver, since a call of the runtime would create a context on a GPU that
// the model may not use.
//
// Safe from any thread.
class DeviceMemory {
 public:
  DeviceMemory();
  bool possible() const { return cuda_ != nullptr || hip_ != nullptr; }  // a library is loaded
  // "CUDA" or "HIP" if only a GPU can read the address, otherwise null. Both can read managed and pinned
  // memory. A call takes a fraction of a microsecond.
  const char* owner_of(const void* address) const;

 private:
  using CudaQuery = int (*)(void* value, int attribute, unsigned long long address);
  using HipQuery = int (*)(void* attributes, const void* address);
  CudaQuery cuda_ = nullptr;
  HipQuery hip_ = nullptr;
};

}  // namespace tailrace::env
