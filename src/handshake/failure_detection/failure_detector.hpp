// Detects on a model rank that a server has failed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "handshake/failure_detection/failed_servers.hpp"
#include "handshake/failure_detection/ping.hpp"
#include "handshake/start.hpp"
#include "messaging/sending.hpp"

namespace tailrace::handshake {

// A failure detector in the sense of Chandra and Toueg: it suspects a process, and the run then treats that
// process as dead. It combines four sources: the process table (same node), TCP connections (DeathListener,
// other nodes), abort notices of ranks that detected a failure first, and pings by MPI where TCP is silent.
// The first three are accurate: a process that they report has ended. Silence alone suspects a server only if
// both TCP and MPI are silent, since a stopped process or a slow network must not end a run. Without the
// detector, a model rank would wait indefinitely for a dead server, because MPI does not report that a peer
// has died.
//
// The model's thread only. The calls may be made at any rate: most of them only read a clock.
class FailureDetector {
 public:
  // `own`: the number of the server of this rank. `started` must live longer; takes its lifelines.
  FailureDetector(Started& started, int own);

  // Throws Error(lost) if the server of this rank has failed. If it has been stopped by a signal for the
  // watchdog's time, the first of its clients logs a warning.
  void check();
  // For a rank that has waited for so many seconds: also throws if any other server has failed, but some
  // seconds later, as the server of this rank may report a better reason. Each time the watchdog's time has
  // passed, logs which rank waits for which server. `what`: for example "to close its files".
  void check_while_waiting(double seconds, const std::string& what);
  bool any_failed();
  // To be called when the server of this rank seems to be dead. Throws the reason if it is known within 1 s.
  void throw_known_failure();
  // Waits up to 2 s for the failure of a server, and describes it; none if no failure is found.
  std::optional<std::string> find_failure();
  // Until this call, check_while_waiting() also throws if a model rank of the component has died.
  void stop_watching_ranks() { watches_ranks_ = false; }
  // From now on only the failure of this rank's own server ends a wait.
  void watch_own_server_only() { watches_others_ = watches_ranks_ = false; }

 private:
  void check_failures(double now);
  void report_if_stopped(double now);
  void receive_notices();
  void check_silence();
  void notify_remote_servers();
  void notify_other_clients();
  std::string describe_wait();

  const Started& started_;
  int own_;
  bool is_first_client_;  // this rank is the first client of its server
  FailedServers failed_servers_;
  std::optional<Ping> ping_;  // of this rank's server, if it is on another node
  std::vector<messaging::Sending> sendings_;
  double next_check_ = 0.0;
  bool watches_others_ = true;
  bool watches_ranks_ = true;
  double other_failed_at_ = 0.0;  // when the first failure of another server was detected
  double running_at_ = 0.0;       // when the server of this rank was last seen running, not stopped
  bool reported_stop_ = false;
  double warned_at_ = 0.0;  // seconds after the begin of this wait
};

}  // namespace tailrace::handshake
