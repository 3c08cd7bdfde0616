// Whether the servers that a model rank needs are still there.
#pragma once

#include <string>
#include <vector>

#include "handshake/losses.hpp"
#include "handshake/start.hpp"

namespace tailrace::session {

// The model's thread only. Its calls may be made at any rate: most of them read a clock and no more.
class ServerWatch {
 public:
  // `own`: the number of the server of this rank. `started` must live longer.
  ServerWatch(const handshake::Started& started, int own);

  // Throws Error(lost) where the server of this rank is lost.
  void look();
  // The same for a rank that has waited for so many seconds, and for any server: this rank's own may have a
  // better word on the loss of another, and has some seconds for it. After the watchdog's time, and each time
  // it passes again, the log says who waits for whom. `what`: as in "to close its files".
  void look_while_waiting(double seconds, const std::string& what);
  bool any_lost();

 private:
  void hear();
  std::string whom() const;

  const handshake::Started& started_;
  int own_;
  handshake::Losses losses_;
  double next_look_ = 0.0;
  double lost_at_ = 0.0;    // when the first other server was found to be lost
  double warned_at_ = 0.0;  // seconds of this wait
};

}  // namespace tailrace::session
