// Who has come to `start`, as far as it can be seen before all are there and MPI can say anything.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "comm/communicator.hpp"
#include "transport/process.hpp"

namespace tailrace::handshake {

// A rank of the run that is seen or said to be lost while all ranks meet.
struct LostInStart : Error {
  LostInStart(int lost, const std::string& how, bool is_seen);
  int rank;
  std::string why;  // in words that fit behind its name
  bool seen;        // by this rank itself
};

// Each rank leaves a note on its node, an empty file in shared memory whose name says it all; it goes when
// this does. What a dead process leaves is taken away with its segments. Ranks of other nodes are not seen.
class StartupMonitor {
 public:
  explicit StartupMonitor(const comm::Members& members);
  ~StartupMonitor();
  StartupMonitor(const StartupMonitor&) = delete;
  StartupMonitor& operator=(const StartupMonitor&) = delete;

  // To be called at any rate while others are awaited. Throws LostInStart where one of them came and died.
  // After some seconds, and then ever more rarely, one rank of the node logs who has not come, or is stopped.
  void look();

 private:
  void read_notes();
  bool speaks() const;
  bool has_come(std::size_t rank) const;
  bool is_stopped(std::size_t rank) const;
  std::vector<std::size_t> ranks_where(const std::function<bool(std::size_t)>& is_one) const;
  std::string describe_missing() const;
  std::string describe_stopped() const;

  comm::Members members_;
  std::string job_;
  std::string note_;
  std::map<int, transport::ProcessId> come_;  // by number in the job; also those that have died since
  double begin_;
  double next_look_ = 0.0;
  double next_word_;
};

}  // namespace tailrace::handshake
