// The servers that have failed: their process ended, or they reported that they cannot continue.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "comm/communicator.hpp"
#include "handshake/connection.hpp"
#include "handshake/failure_detection/lifelines.hpp"
#include "handshake/run.hpp"
#include "messaging/sending.hpp"

namespace tailrace::handshake {

// A server whose node does not answer by TCP has failed if it leaves a ping by MPI unanswered for so long.
inline constexpr double seconds_of_silence = 2.0;
inline constexpr const char* node_lost = "its node no longer answers, neither by TCP nor by MPI";
inline constexpr const char* process_ended = "its process ended";

// One rank's knowledge of failures. On its own node it checks whether the processes of servers exist; on
// other nodes it watches some servers by TCP, and depends on abort notices for the others.
class FailedServers {
 public:
  // `run` must live longer. `rank`: the observer, in the whole run.
  FailedServers(const Run& run, int rank);

  // From now on detects the death of this server on another node.
  void watch(LifelineTo line);
  bool is_silent(int server) const;   // its node no longer answers by TCP; it may still answer by MPI
  bool is_watched(int server) const;  // its death would be detected here
  // Records and returns the servers whose processes have ended since the last call. Checks every 0.25 s at
  // most, so it may be called at any rate.
  std::vector<int> check();
  // A fault if the process of a rank of this component on this node has ended. Also checks every 0.25 s at
  // most.
  std::optional<base::Fault> find_dead_rank(int component);
  // Keeps the first reason, except that a reason which the server gave itself replaces "its process ended".
  void mark_failed(int server, const std::string& why);
  bool is_local(int server) const;  // on this node
  bool has_failed(int server) const { return why_[base::index(server)].has_value(); }
  int count() const { return count_; }
  const std::string& why(int server) const { return *why_[base::index(server)]; }  // has_failed()
  std::string describe(int server) const;  // of a failed server: its name and the reason
  base::Fault fault(int server) const;     // the same as a fault for the model
  std::string name(int server) const;      // with its rank and process
  bool is_stopped(int server) const;       // by a signal, as far as can be seen from here
  std::vector<int> stopped_servers_except(int server) const;
  std::optional<int> first_failed_other_than(
      int server) const;  // the first failed server other than this one

 private:
  transport::ProcessId process_of(int server) const;  // all zero if it is not known

  const Run& run_;
  int rank_;
  int count_ = 0;
  double next_check_ = 0.0;
  std::vector<double> next_check_of_ranks_;      // by component
  std::vector<int> local_;                       // servers on the same node, in other processes
  std::vector<LifelineTo> lines_;                // to servers of other nodes
  std::vector<std::optional<std::string>> why_;  // by server; none: not known to have failed
};

// The process of `other` if it is on the node of `rank`; else all zero.
transport::ProcessId local_process(const Run& run, int rank, int other);
// The message that a rank of the run has failed.
struct AbortNotice {
  int rank = 0;     // in the whole run
  std::string why;  // a clause that can follow "rank N is gone: "
};
std::string ended_with(const base::Fault& fault);

// Sends to these ranks of the run except this one, and waits 1.5 s at most for the messages to leave.
void send_abort_notice(comm::Communicator& world, std::vector<int> ranks, const AbortNotice& abort_notice);
// Sends without waiting: the caller keeps the result until the messages have left.
std::vector<messaging::Sending> start_abort_notice(comm::Communicator& world, const std::vector<int>& ranks,
                                                   const AbortNotice& abort_notice, Tag tag);
std::optional<AbortNotice> receive_abort_notice(comm::Communicator& world, Tag tag = Tag::abort_notice);

}  // namespace tailrace::handshake
