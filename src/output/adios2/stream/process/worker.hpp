// The process that ADIOS2 is in: it takes the steps that wait at the channel and gives them to readers.
#pragma once

#include "output/adios2/engine.hpp"
#include "output/adios2/stream/process/channel.hpp"

namespace tailrace::output::adios2::stream {

// Returns the exit status (Ending). Ends the process where ADIOS2 does not come back (Watch), or the server
// is gone.
int work(const Channel& server, EngineSpec spec);

}  // namespace tailrace::output::adios2::stream
