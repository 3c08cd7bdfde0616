// Observes which ranks of this node have entered `start`.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "comm/communicator.hpp"
#include "transport/process.hpp"

namespace tailrace::handshake {

// A rank of the run has failed before `start` ended.
struct LostInStart : Error {
  LostInStart(int lost, const std::string& how, bool is_seen);
  int rank;
  std::string why;  // as in AbortNotice
  bool seen;        // detected by this rank, not received in an abort notice
};

// The first MPI call of `start` completes only when all ranks have made it, so a rank that died, is stopped
// or never calls `start` would make the others wait without a message. Therefore each rank creates a note on
// its node first: an empty file in shared memory whose name has the job, the rank and the process. The others
// read these names and check the processes. The note is removed with this object; the next server of the user
// removes the notes of dead processes together with their segments. Ranks on other nodes are not seen.
class StartupMonitor {
 public:
  explicit StartupMonitor(const comm::GroupMembers& members);
  ~StartupMonitor();
  StartupMonitor(const StartupMonitor&) = delete;
  StartupMonitor& operator=(const StartupMonitor&) = delete;

  // May be called at any rate while waiting. Throws LostInStart if a rank has entered `start` and died. After
  // 5 s, and then at growing intervals, one rank of the node logs which ranks have not entered `start` or are
  // stopped.
  void check();

 private:
  void read_notes();
  bool is_reporter() const;
  bool has_arrived(std::size_t rank) const;
  bool is_stopped(std::size_t rank) const;
  std::vector<std::size_t> ranks_where(const std::function<bool(std::size_t)>& is_one) const;
  std::string describe_missing() const;
  std::string describe_stopped() const;

  comm::GroupMembers members_;
  std::string job_;
  std::string note_;
  std::map<int, transport::ProcessId> arrived_;  // by number in the job; including processes that have died
  double begin_;
  double next_check_ = 0.0;
  double next_report_;
};

}  // namespace tailrace::handshake
