// The view that one server has of the others of the run: which of them are lost.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "handshake/failure_detection/failed_servers.hpp"
#include "handshake/failure_detection/lifelines.hpp"
#include "handshake/failure_detection/ping.hpp"
#include "handshake/start.hpp"
#include "messaging/messenger.hpp"
#include "messaging/sending.hpp"

namespace tailrace::server {

// Communication thread only. A server is lost when its process ended, or when it reported that it cannot go
// on.
class PeerServers {
 public:
  // All must live longer.
  PeerServers(const handshake::Run& run, comm::Communicator& world, messaging::Messenger& messenger,
              handshake::Lifelines lifelines);

  std::vector<int> newly_lost();  // since the last call; also answers pings
  // Reports the loss to all other servers and to this server's clients, some of which may be on other nodes
  // and not notice it. The first remaining server also informs the clients of the lost one. Logs the loss
  // too, unless the model continues: then one of its ranks does.
  void pass_on(int lost);
  const handshake::FailedServers& failed_servers() const { return failed_servers_; }
  handshake::FailedServers& failed_servers() { return failed_servers_; }
  // For the watchdog: describes servers that are stopped, and those on other nodes that have not answered
  // since the last call.
  std::string describe();

 private:
  void hear_clients();
  void judge_silence();
  bool is_first_left() const;

  messaging::Messenger& messenger_;
  const handshake::Run& run_;
  comm::Communicator& world_;
  bool model_goes_on_;  // without output, if a server is lost
  handshake::FailedServers failed_servers_;
  std::unique_ptr<handshake::DeathListener> watched_;  // by ranks of other nodes
  std::vector<int> heard_;
  double next_hearing_ = 0.0;
  handshake::PingResponder answers_;
  std::vector<handshake::Ping> far_;  // of the servers on other nodes
  std::vector<int> far_servers_;
  std::vector<messaging::Sending> sendings_;
};

// Informs the other servers and all model ranks why this server cannot continue. Takes at most a second or
// two. In mode attached it is called on the server's thread.
void send_abort_notice(handshake::Started& started, const base::Fault& fault);

}  // namespace tailrace::server
