// The other servers of the run, as one of them sees them: which are lost.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "handshake/liveness/lifelines.hpp"
#include "handshake/liveness/pulse.hpp"
#include "handshake/losses.hpp"
#include "handshake/start.hpp"
#include "messaging/messenger.hpp"

namespace tailrace::host {

// Communication thread only. A fellow is lost when its process ended, or when it said that it cannot go on.
class Fellows {
 public:
  // All must live longer.
  Fellows(const handshake::Run& run, comm::Communicator& world, messaging::Messenger& messenger,
          handshake::Lifelines lifelines);

  std::vector<int> newly_lost();  // since the last call; and answers who asks whether this server does
  // To all others and to this server's clients, since some of them may be on other nodes and see nothing of
  // it; the first server that is left tells the clients of the lost one too. And to the log, unless the model
  // goes on: then one of its ranks tells.
  void pass_on(int lost);
  const handshake::Losses& losses() const { return losses_; }
  handshake::Losses& losses() { return losses_; }
  // For the watchdog: those that are stopped, and those of other nodes that have not answered since the last
  // call.
  std::string describe();

 private:
  void hear_clients();
  void judge_silence();
  bool is_first_left() const;

  messaging::Messenger& messenger_;
  const handshake::Run& run_;
  comm::Communicator& world_;
  bool model_goes_on_;  // without output, where a server is lost
  handshake::Losses losses_;
  std::unique_ptr<handshake::Watched> watched_;  // by ranks of other nodes
  std::vector<int> heard_;
  double next_hearing_ = 0.0;
  handshake::Answers answers_;
  std::vector<handshake::Pulse> far_;  // of the servers on other nodes
  std::vector<int> far_servers_;
  std::vector<handshake::Sending> sendings_;
};

// A server that cannot go on tells its fellows and all model ranks why. Takes a second or two at most. In
// mode attached from the server's thread.
void say_farewell(handshake::Started& started, const base::Fault& fault);

}  // namespace tailrace::host
