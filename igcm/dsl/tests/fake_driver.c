/* Stands for NVIDIA's driver in test_cuda.py: a GPU whose memory is that of the CPU. Compiled as
 * libcuda.so.1. */
#include <stdlib.h>
#include <string.h>

int cuInit(unsigned flags) { return flags != 0; }
int cuDeviceGetCount(int* count) { return *count = getenv("FAKE_GPUS") == NULL, 0; }
int cuDeviceGet(int* device, int number) { return *device = number, 0; }
int cuDevicePrimaryCtxRetain(void** context, int device) { return *context = malloc(1), device; }
int cuCtxSetCurrent(void* context) { return context == NULL; }
int cuDeviceGetName(char* name, int length, int device) {
  return strncpy(name, "no GPU at all", (size_t)length), device;
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  return *value = attribute == 36 ? 1000000 : 512, device;
}
int cuMemAllocManaged(void** memory, size_t size, unsigned flags) {
  return *memory = malloc(size), flags != 1;
}
int cuMemFree_v2(void* memory) { return free(memory), 0; }
