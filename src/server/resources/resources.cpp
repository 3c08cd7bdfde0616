#include "server/resources/resources.hpp"

#include <algorithm>
#include <thread>

#include "base/index.hpp"
#include "env/threads.hpp"
#include "transport/shm/segment.hpp"

namespace tailrace::server {

int worker_threads(const settings::ServersOptions& options, const handshake::StridedRuns& nodes, int rank,
                   const ThreadPinning& pinning) {
  if (options.mode == settings::Mode::inline_) return 0;
  if (options.threads > 0) return options.threads;
  if (options.mode == settings::Mode::attached) return 1;
  if (!pinning.work.empty()) return static_cast<int>(pinning.work.size());
  // The cores to which the launcher bound this rank, or its share of the node if it is not bound.
  const int here = static_cast<int>(nodes.count(nodes[base::index(rank)]));
  const int allowed = static_cast<int>(env::allowed_cpus().size());
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, allowed < cores ? allowed : cores / std::max(1, here));
}

transport::shm::NamedDoorbell make_doorbell(settings::Mode mode) {
  if (mode == settings::Mode::dedicated) return transport::shm::make_doorbell();
  transport::shm::remove_leftovers();  // which a server with shared memory of its own does besides
  return {transport::make_heap_doorbell(), ""};
}

}  // namespace tailrace::server
