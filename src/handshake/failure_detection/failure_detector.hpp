// Whether the servers that a model rank needs are still there.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "handshake/failure_detection/failed_servers.hpp"
#include "handshake/failure_detection/ping.hpp"
#include "handshake/start.hpp"

namespace tailrace::handshake {

// The model's thread only. Its calls may be made at any rate: most of them read a clock and no more.
class FailureDetector {
 public:
  // `own`: the number of the server of this rank. `started` must live longer; what it has of connections to
  // that server is taken.
  FailureDetector(Started& started, int own);

  // Throws Error(lost) where the server of this rank is lost. Where it is stopped by a signal, and was not
  // seen to go for the watchdog's time, the first of its clients logs it.
  void look();
  // The same for a rank that has waited for so many seconds, and for any server: this rank's own may have a
  // better word on the loss of another, and has some seconds for it. After the watchdog's time, and each time
  // it passes again, the log says who waits for whom. `what`: as in "to close its files".
  void look_while_waiting(double seconds, const std::string& what);
  bool any_lost();
  // The server of this rank seems to be gone: throws what is known of that, if its word comes in a second.
  void explain_loss();
  // How the first server that is lost went; where none seems to be, after a second or two, nothing.
  std::optional<std::string> find_loss();
  // Until this is said, the other model ranks of this component are needed too.
  void all_are_ready() { minds_ranks_ = false; }
  // From now on the loss of other servers ends no wait: this rank's own still has its word.
  void mind_own_only() { minds_others_ = minds_ranks_ = false; }

 private:
  void look_at_losses(double now);
  void tell_if_stopped(double now);
  void hear();
  void judge_silence();
  void tell_far_servers();
  void tell_other_clients();
  std::string whom();

  const Started& started_;
  int own_;
  bool is_first_client_;  // of that server
  FailedServers failed_servers_;
  std::optional<Ping> pulse_;  // of this rank's server, where it is on another node
  std::vector<Sending> sendings_;
  double next_look_ = 0.0;
  bool minds_others_ = true;
  bool minds_ranks_ = true;
  double lost_at_ = 0.0;  // when the first other server was found to be lost
  double goes_at_ = 0.0;  // when the server of this rank was last seen not to be stopped
  bool told_stop_ = false;
  double warned_at_ = 0.0;  // seconds of this wait
};

}  // namespace tailrace::handshake
