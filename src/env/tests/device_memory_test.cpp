#include "env/device_memory.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdint>
#include <memory>
#include <string>

namespace tailrace::env {
namespace {

std::string number_of(const void* address) {
  return std::to_string(reinterpret_cast<std::uintptr_t>(address));
}

std::string owner(const DeviceMemory& memory, const void* address) {
  const char* name = memory.owner_of(address);
  return name == nullptr ? "" : name;
}

TEST(DeviceMemory, nobody_is_asked_where_no_library_is_loaded) {
  const DeviceMemory memory;
  EXPECT_FALSE(memory.possible());
  const int here = 0;
  EXPECT_EQ(owner(memory, &here), "");
}

TEST(DeviceMemory, what_only_a_gpu_can_read_is_found_through_a_library_that_is_loaded) {
  const std::unique_ptr<void, int (*)(void*)> library(dlopen(TAILRACE_MADE_UP_GPU, RTLD_NOW | RTLD_GLOBAL),
                                                      &dlclose);
  ASSERT_TRUE(library) << dlerror();
  const DeviceMemory memory;
  EXPECT_TRUE(memory.possible());
  const double cells[6] = {};
  setenv("TEST_CUDA", number_of(&cells[1]).c_str(), 1);
  setenv("TEST_CUDA_MANAGED", number_of(&cells[2]).c_str(), 1);
  setenv("TEST_HIP", number_of(&cells[3]).c_str(), 1);
  setenv("TEST_HIP_MANAGED", number_of(&cells[4]).c_str(), 1);
  setenv("TEST_HIP_PINNED", number_of(&cells[5]).c_str(), 1);
  EXPECT_EQ(owner(memory, &cells[0]), "");
  EXPECT_EQ(owner(memory, &cells[1]), "CUDA");
  EXPECT_EQ(owner(memory, &cells[2]), "");
  EXPECT_EQ(owner(memory, &cells[3]), "HIP");
  EXPECT_EQ(owner(memory, &cells[4]), "");
  EXPECT_EQ(owner(memory, &cells[5]), "");
}

}  // namespace
}  // namespace tailrace::env
