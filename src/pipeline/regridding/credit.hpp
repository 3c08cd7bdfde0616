// Flow control of regridded values: how far a server may be ahead of those that need its cells.
//
// A server that needs cells of several others keeps what the faster ones send until the slower ones have sent
// theirs. So each server counts the bytes that it has sent and that the receiver has not used up yet, and
// accepts no further step while they exceed a limit. It waits only for values of steps that it has accepted
// itself: the server that is furthest behind waits for nobody, since all others have sent theirs, so it can
// always go on. (As pipeline/flow_control.)
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "pipeline/control/control_channel.hpp"

namespace tailrace::pipeline::regridding {

class Credit {
 public:
  // `most`: bytes that may wait on one server. `control` must live longer.
  Credit(ControlChannel& control, std::size_t most);

  void send(int to, std::size_t bytes);  // from any thread: so many were sent
  // The functions below are for the communication thread.
  void begin_step();
  void use_up(int from, std::size_t bytes);  // of this server or another
  bool full() const;                         // accept no further step
  std::size_t waiting() const;               // bytes that were sent and are not known to be used up

 private:
  struct Peer {
    std::atomic<std::uint64_t> sent{0};
    std::uint64_t known_used = 0;  // there
    std::uint64_t sent_before_step = 0, largest_step = 0;
    std::uint64_t used = 0, reported = 0;  // of what came from it
  };
  ControlChannel& control_;
  std::size_t most_;
  std::vector<Peer> peers_;  // by server
};

}  // namespace tailrace::pipeline::regridding
