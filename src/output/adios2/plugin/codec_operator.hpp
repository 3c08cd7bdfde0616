// The interface for writers of the operator that stores values as Tailrace's codecs make them. The operator
// is a library of its own, which ADIOS2 loads in writers and readers, and which needs no other part of
// Tailrace.
#pragma once

#include <cstddef>
#include <span>

namespace tailrace::output::adios2 {

// As ADIOS2 notes them in the dataset, so that readers find the library.
inline constexpr const char* operator_name = "tailrace";
inline constexpr const char* operator_library = "tailrace_adios2_codecs";

// With the parameter `puts: sources`, ADIOS2 is given the address of one of these in place of values. (It
// hands it on as it is, since statistics are off.)
struct Source {
  std::span<const std::byte> bytes;
  bool encoded = false;  // by the codec of the parameters already
};

}  // namespace tailrace::output::adios2
