// Servers that are lost: a process that ended, or one that said that it cannot go on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "comm/communicator.hpp"
#include "handshake/connection.hpp"
#include "handshake/failure_detection/lifelines.hpp"
#include "handshake/run.hpp"

namespace tailrace::handshake {

// How long a server may be silent by MPI whose system is silent by TCP.
inline constexpr double seconds_of_silence = 2.0;
inline constexpr const char* node_lost = "its node answers no more, neither by TCP nor by MPI";
inline constexpr const char* process_ended = "its process ended";

// What one rank knows of the servers of the run. On its own node it sees whether their processes live; on
// others it sees that of those which it watches, and hears of the rest what is said.
class FailedServers {
 public:
  // `run` must live longer. `rank`: in the whole run, of who looks.
  FailedServers(const Run& run, int rank);

  // From now on the end of the process of this server, on another node, is seen.
  void watch(LifelineTo line);
  bool is_silent(int server) const;  // its system answers no more by TCP; whether it does by MPI is not known
  bool is_watched(int server) const;  // as far as is known now
  // Notes the servers whose processes ended since the last look, and returns them. Looks every quarter of a
  // second at most, so that it may be called at any rate.
  std::vector<int> look();
  // The first rank of this component whose process, on this node, has ended. At any rate, too.
  std::optional<base::Fault> find_gone_rank(int component);
  // The first reason stays, but what the server said itself is better than that its process ended.
  void note(int server, const std::string& why);
  bool in_sight(int server) const;  // on this node
  bool lost(int server) const { return why_[static_cast<std::size_t>(server)].has_value(); }
  int count() const { return count_; }
  const std::string& why(int server) const { return *why_[static_cast<std::size_t>(server)]; }  // it is lost
  std::string how(int server) const;    // of a lost one: who, and why
  base::Fault fault(int server) const;  // the same in the words for the model
  std::string name(int server) const;   // with its rank and process
  bool is_stopped(int server) const;    // by a signal, as far as can be seen from here
  std::vector<int> stopped_others(int server) const;
  std::optional<int> first_other(int server) const;  // the first lost one that is not this

 private:
  transport::ProcessId process_of(int server) const;  // all zero where nobody has told

  const Run& run_;
  int rank_;
  int count_ = 0;
  double next_look_ = 0.0;
  std::vector<double> next_look_at_ranks_;       // by component
  std::vector<int> in_sight_;                    // servers on the same node, in other processes
  std::vector<LifelineTo> lines_;                // to servers of other nodes
  std::vector<std::optional<std::string>> why_;  // by server; nothing: not lost, as far as is known
};

// Of `other`, as `rank` sees it; nobody where it is on another node.
transport::ProcessId process_in_sight(const Run& run, int rank, int other);
// A rank of the run that cannot go on, and why, in words that fit behind its name.
struct AbortNotice {
  int rank = 0;  // in the whole run
  std::string why;
};
std::string ended_with(const base::Fault& fault);

// To these ranks of the run but this one. What does not leave within a second or two never will.
void send_abort_notice(comm::Communicator& world, std::vector<int> ranks, const AbortNotice& abort_notice);
// The same without a wait: the caller keeps what it gets for as long.
std::vector<Sending> send_farewell(comm::Communicator& world, const std::vector<int>& ranks,
                                   const AbortNotice& abort_notice, Tag tag);
std::optional<AbortNotice> hear_farewell(comm::Communicator& world, Tag tag = Tag::abort_notice);

}  // namespace tailrace::handshake
