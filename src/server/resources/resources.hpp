// The resources of a server process: worker threads, and a doorbell that its clients can ring.
#pragma once

#include <vector>

#include "handshake/bootstrap/strided_runs.hpp"
#include "server/resources/pinning.hpp"
#include "settings/configuration.hpp"
#include "transport/endpoints.hpp"

namespace tailrace::server {

// `rank`: of the server in the whole run. `nodes`: by rank.
int worker_threads(const settings::ServersOptions& options, const handshake::StridedRuns& nodes, int rank,
                   const ThreadPinning& pinning);
transport::shm::NamedDoorbell make_doorbell(settings::Mode mode);

}  // namespace tailrace::server
