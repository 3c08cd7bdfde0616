#include <dlfcn.h>

#include <cstdint>

#include "env/device_memory.hpp"

namespace tailrace::env {
namespace {

// Constants of CUDA's driver interface (cuda.h), unchanged since CUDA 6.
constexpr int cuda_memory_type = 2, cuda_is_managed = 8;
constexpr unsigned cuda_device = 2;

// The beginning of hipPointerAttribute_t (hip_runtime_api.h), which is the same in all versions, although the
// numbers of its types are not. The rest is space for members that a version may add.
struct HipAttributes {
  int type = 0;
  int device = 0;
  void* device_address = nullptr;
  void* host_address = nullptr;
  int is_managed = 0;
  unsigned flags = 0;
  std::uint64_t room[16] = {};
};

// A library that was loaded with local scope, as Python does for modules, is not found among the global
// symbols.
void* find(const char* library, const char* function) {
  if (void* found = dlsym(RTLD_DEFAULT, function)) return found;
  void* loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (loaded == nullptr) return nullptr;
  void* found = dlsym(loaded, function);
  dlclose(loaded);
  return found;
}

}  // namespace

DeviceMemory::DeviceMemory()
    : cuda_(reinterpret_cast<CudaQuery>(find("libcuda.so.1", "cuPointerGetAttribute"))),
      hip_(reinterpret_cast<HipQuery>(find("libamdhip64.so", "hipPointerGetAttributes"))) {}

// The query fails for an address that the library does not know: that is memory of the processor.
const char* DeviceMemory::owner_of(const void* address) const {
  const auto number = static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(address));
  unsigned type = 0, managed = 0;
  if (cuda_ != nullptr && cuda_(&type, cuda_memory_type, number) == 0 && type == cuda_device &&
      (cuda_(&managed, cuda_is_managed, number) != 0 || managed == 0))
    return "CUDA";
  HipAttributes known;
  if (hip_ != nullptr && hip_(&known, address) == 0 && known.device_address != nullptr &&
      known.host_address == nullptr && known.is_managed == 0)
    return "HIP";
  return nullptr;
}

}  // namespace tailrace::env
