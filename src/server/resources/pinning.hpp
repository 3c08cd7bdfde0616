// On which cores the threads of a dedicated server run.
#pragma once

#include <vector>

#include "env/topology.hpp"
#include "handshake/run.hpp"

namespace tailrace::server {

// Ascending; empty: where the system likes, within what the launcher allows.
struct Pins {
  std::vector<int> communication;
  std::vector<int> work;  // of the workers and the I/O thread
};

// `mine`: where the launcher allows this server to run, not empty; `others`: the same for the other ranks of
// the node. A server keeps to what it has for itself, where it has anything, away from the cores of others;
// of four cores or more the communication thread has one for itself. Pure.
Pins plan_pins(const std::vector<int>& mine, const std::vector<std::vector<int>>& others,
               const env::Topology& topology);

// Whether all threads of this process have one core between them.
bool on_one_core(const Pins& pins);

// The calling thread, which is the model's before and after, on the cores for communication as long as this
// lives. Where the system refuses, that is a warning.
class PinnedHere {
 public:
  explicit PinnedHere(const Pins& pins);
  ~PinnedHere();
  PinnedHere(const PinnedHere&) = delete;
  PinnedHere& operator=(const PinnedHere&) = delete;

 private:
  std::vector<int> before_;
};

Pins pins_for(const handshake::Run& run, int rank);  // as the configuration says

}  // namespace tailrace::server
