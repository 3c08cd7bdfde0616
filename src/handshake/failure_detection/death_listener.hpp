// Detection of a server's death by ranks on other nodes, which each hold a TCP connection to the server.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "env/lifeline.hpp"
#include "handshake/run.hpp"

namespace tailrace::handshake {

// The largest number of clients that connect to a server; they notify the others.
inline constexpr std::size_t most_watching_clients = 256;
// The clients of a server on other nodes, ascending; the first most_watching_clients of them watch it.
std::vector<int> remote_clients_of(const Run& run, int server);
// Two servers on other nodes, on two different nodes if possible.
std::vector<int> watching_peers_of(const Run& run, int server);

void put_address(base::ByteWriter& writer, const env::LifelineAddress& address);
env::LifelineAddress get_address(base::ByteReader& reader);

// The server's end of these connections. MPI does not report that a process has died, and a rank can observe
// processes only on its own node. The operating system, however, closes the TCP connections of a process that
// dies, whatever kills it, and the watchers see this at once. Without it, a rank on another node would wait
// for a dead server until the watchdog reports that pings are not answered.
//
// Listens only while watchers are expected, and for 5 s at most. If the system refuses to listen, or a
// watcher cannot connect, the run continues without this detection, and the log reports it. One thread; no
// call waits.
class DeathListener {
 public:
  DeathListener(const Run& run, int server);
  // The address to which `rank` connects; port 0 if it is not a watcher.
  env::LifelineAddress address_for(int rank) const;
  const std::vector<int>& peers() const { return peers_; }     // numbers of the servers that watch this one
  const std::vector<int>& watchers() const { return ranks_; }  // ranks of the run, ascending
  bool awaits_watchers() const { return end_ && connected_ < ranks_.size(); }
  void accept();  // accepts connections; may be called at any rate

 private:
  int server_;
  std::vector<int> peers_;
  std::vector<int> ranks_;  // the watchers, ascending
  std::optional<env::WatchedEnd> end_;
  std::size_t connected_ = 0;
  double listens_until_ = 0.0;  // steady seconds
};

}  // namespace tailrace::handshake
