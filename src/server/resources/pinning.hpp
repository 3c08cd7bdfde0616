// Chooses the cores on which the threads of a dedicated server run.
#pragma once

#include <vector>

#include "env/topology.hpp"
#include "handshake/run.hpp"

namespace tailrace::server {

// Core numbers, ascending. Empty: the system chooses among the cores that the launcher allows.
struct ThreadPinning {
  std::vector<int> communication;
  std::vector<int> work;  // of the workers and the I/O thread
};

// `mine`: the cores on which the launcher allows this server to run, not empty; `others`: those of each
// other rank on the node. A server uses the cores that it shares with no other rank, if it has any. If it
// has four cores or more, the communication thread gets one for itself. A pure function.
ThreadPinning plan_pinning(const std::vector<int>& mine, const std::vector<std::vector<int>>& others,
                           const env::Topology& topology);

// Whether all threads of this process share one core.
bool on_one_core(const ThreadPinning& pinning);

// Binds the calling thread, which belongs to the model before and after, to the cores for communication as
// long as this object lives. If the system refuses, that is a warning.
class ScopedPinning {
 public:
  explicit ScopedPinning(const ThreadPinning& pinning);
  ~ScopedPinning();
  ScopedPinning(const ScopedPinning&) = delete;
  ScopedPinning& operator=(const ScopedPinning&) = delete;

 private:
  std::vector<int> before_;
};

ThreadPinning pinning_for(const handshake::Run& run, int rank);  // according to the configuration

}  // namespace tailrace::server
