// Which memory belongs to a GPU, so that the processor cannot read it.
#pragma once

#include <string>

namespace tailrace::env {

// Asks the GPU libraries that this process has loaded when the object is made. It loads none itself, and
// starts none: CUDA is asked through its driver, since a question to the runtime would make a context on a
// GPU that the model may not use.
//
// Any thread.
class DeviceMemory {
 public:
  DeviceMemory();
  bool possible() const { return cuda_ != nullptr || hip_ != nullptr; }  // a library is loaded
  // "CUDA" or "HIP" where the address can be read on a GPU only, otherwise null. Managed and pinned memory
  // can be read by both. A fraction of a microsecond.
  const char* owner_of(const void* address) const;

 private:
  using CudaQuery = int (*)(void* value, int attribute, unsigned long long address);
  using HipQuery = int (*)(void* attributes, const void* address);
  CudaQuery cuda_ = nullptr;
  HipQuery hip_ = nullptr;
};

}  // namespace tailrace::env
