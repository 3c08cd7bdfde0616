// Whether the processor can read an array that a model gives.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tailrace::client {

// Why not, behind "the array": of a GPU's memory, with the owner that env::DeviceMemory names.
std::string lies_on_gpu(const char* owner);

// Throws Error(usage) where the array is NULL although it has elements, or lies in the memory of a GPU.
void check_readable(const std::string& what, const void* data, std::size_t elements);
template <class T>
void check_readable(const std::string& what, std::span<const T> array) {
  check_readable(what, array.data(), array.size());
}

}  // namespace tailrace::client
