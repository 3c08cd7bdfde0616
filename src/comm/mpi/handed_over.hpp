// Communicators that were given to the model: it may use them after its session ended.
#pragma once

#include "comm/mpi/mpi_c.hpp"

namespace tailrace::comm::mpi {

// MPI_Finalize frees the communicator, unless the model did so before. Local; any thread.
void free_in_finalize(MPI_Comm communicator);

}  // namespace tailrace::comm::mpi
