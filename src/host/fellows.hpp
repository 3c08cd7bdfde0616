// The other servers of the run, as one of them sees them: which are lost.
#pragma once

#include <string>
#include <vector>

#include "handshake/losses.hpp"
#include "handshake/start.hpp"
#include "messaging/messenger.hpp"

namespace tailrace::host {

// Communication thread only. A fellow is lost when its process ended, or when it said that it cannot go on.
class Fellows {
 public:
  // `rank`: of this server in the whole run. `run` and `messenger` must live longer.
  Fellows(const handshake::Run& run, int rank, messaging::Messenger& messenger);

  std::vector<int> newly_lost();  // since the last call
  const handshake::Losses& losses() const { return losses_; }
  std::string describe() const;  // for the watchdog: those that are stopped

 private:
  handshake::Losses losses_;
  int servers_;
  std::vector<int> heard_;
};

// A server that cannot go on tells its fellows and all model ranks why. Takes a second or two at most. In
// mode attached from the server's thread.
void say_farewell(handshake::Started& started, const base::Fault& fault);

}  // namespace tailrace::host
