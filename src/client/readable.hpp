// Whether the processor can read an array that a model gives.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tailrace::client {

// The end of a message that begins with "the array": that it is in the memory of a GPU, with the owner that
// env::DeviceMemory names.
std::string lies_on_gpu(const char* owner);

// Throws Error(usage) if the array is NULL although it has elements, or is in the memory of a GPU.
void check_readable(const std::string& what, const void* data, std::size_t elements);
template <class T>
void check_readable(const std::string& what, std::span<const T> array) {
  check_readable(what, array.data(), array.size());
}

}  // namespace tailrace::client
