// Errors of MPI as exceptions, and messages of more than INT_MAX bytes.
#pragma once

#include <cstddef>

#include "comm/mpi/mpi_c.hpp"

namespace tailrace::comm::mpi {

// Throws Error(lost) with MPI's text if `result` is not MPI_SUCCESS; `call` names the function that returned
// it.
void check(int result, const char* call);

bool usable();  // between MPI_Init and MPI_Finalize

// `count` elements of `type` that together are exactly `bytes` bytes. Up to INT_MAX bytes that is MPI_BYTE; a
// larger message is one element of a type made of blocks of `block` bytes and a rest. Frees the type it made.
class Extent {
 public:
  explicit Extent(std::size_t bytes, std::size_t block = std::size_t{1} << 30,
                  std::size_t largest = 0x7fffffff);
  ~Extent();
  Extent(const Extent&) = delete;
  Extent& operator=(const Extent&) = delete;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
};

}  // namespace tailrace::comm::mpi
