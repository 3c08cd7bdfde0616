// How ranks of other nodes see that a server dies: each holds a TCP connection to it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "env/lifeline.hpp"
#include "handshake/run.hpp"

namespace tailrace::handshake {

// Of its clients only so many watch a server; the others hear from these.
inline constexpr std::size_t most_watching_clients = 256;
// The clients of a server that are on other nodes than it, ascending; the first ones watch it.
std::vector<int> far_clients_of(const Run& run, int server);
// Two of the servers on other nodes, on different ones where there are as many.
std::vector<int> watching_fellows_of(const Run& run, int server);

void put_address(base::ByteWriter& writer, const env::LifelineAddress& address);
env::LifelineAddress get_address(base::ByteReader& reader);

// The side of the server. One thread; no call waits. It listens while it expects somebody, and if nobody is
// to come never. A system that does not let it costs no run: then nobody sees its death, as the log says.
class DeathListener {
 public:
  DeathListener(const Run& run, int server);
  // For this rank, or for a fellow: of nobody where it is not to watch.
  env::LifelineAddress address_for(int rank) const;
  const std::vector<int>& fellows() const { return peers_; }   // their numbers
  const std::vector<int>& watchers() const { return ranks_; }  // of the run, ascending
  bool expects_more() const { return end_ && come_ < ranks_.size(); }
  void take_in();  // at any rate

 private:
  int server_;
  std::vector<int> peers_;
  std::vector<int> ranks_;  // that are to watch, ascending
  std::optional<env::WatchedEnd> end_;
  std::size_t come_ = 0;
  double expects_until_ = 0.0;  // steady seconds
};

}  // namespace tailrace::handshake
