#include "comm/mpi/check.hpp"

#include <string>

#include "base/error.hpp"

namespace tailrace::comm::mpi {

void check(int result, const char* call) {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(result, text, &length) != MPI_SUCCESS) length = 0;
  throw Error(ErrorCode::lost, std::string(call) + ": " +
                                   (length > 0 ? std::string(text, static_cast<std::size_t>(length))
                                               : "MPI error " + std::to_string(result)));
}

bool usable() {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

Extent::Extent(std::size_t bytes, std::size_t block, std::size_t largest) {
  if (bytes <= largest) {
    count = static_cast<int>(bytes);
    return;
  }
  const std::size_t blocks = bytes / block;
  const std::size_t rest = bytes % block;
  MPI_Datatype whole = MPI_DATATYPE_NULL;
  check(MPI_Type_contiguous(static_cast<int>(block), MPI_BYTE, &whole), "MPI_Type_contiguous");
  const int lengths[2] = {static_cast<int>(blocks), static_cast<int>(rest)};
  const MPI_Aint offsets[2] = {0, static_cast<MPI_Aint>(blocks * block)};
  const MPI_Datatype types[2] = {whole, MPI_BYTE};
  const int made = MPI_Type_create_struct(2, lengths, offsets, types, &type);
  MPI_Type_free(&whole);
  check(made, "MPI_Type_create_struct");
  check(MPI_Type_commit(&type), "MPI_Type_commit");
  count = 1;
}

Extent::~Extent() {
  if (type != MPI_BYTE && usable()) MPI_Type_free(&type);
}

}  // namespace tailrace::comm::mpi
