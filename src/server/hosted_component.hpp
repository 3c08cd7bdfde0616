// A component in the server process, from the first message about it to its end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "messaging/collectives/tree_allreduce.hpp"
#include "messaging/messenger.hpp"
#include "pipeline/served_component.hpp"
#include "server/intake.hpp"

namespace tailrace::server {

struct HostedComponent {
  enum class State { awaited, connecting, running, over };
  int number = 0;
  int root = 0;              // rank in the whole run
  std::vector<int> clients;  // of this server: ranks in the component
  std::vector<int> ranks;    // in the whole run, of the same clients
  State state = State::awaited;
  std::unique_ptr<pipeline::ServedComponent> component;
  std::unique_ptr<Intake> intake;      // null on a server without clients of it, and until it runs
  std::vector<unsigned char> invited;  // by client of this server
  std::vector<Link> links;             // of those that are connected, until it runs
  std::shared_ptr<transport::PollGroup> poll_group;
  std::optional<base::Fault> own_fault;  // is sent to all once all clients of this server are connected
  bool announced = false;
  std::unique_ptr<messaging::TreeAllreduce> set_up;  // the servers that are
  std::optional<std::vector<std::byte>> declared;  // the message of the first rank, if another server sent it
  std::uint64_t begin_nanoseconds = 0;             // when its clients were told that all is set up
  std::optional<base::Fault> fault;                // the first that came up while setting up, on any server

  // Once all clients are connected on all servers: the component takes their packets from now on.
  void start(const sinks::SinkServices& services);
  bool progress();   // of a component that runs; true if anything moved
  bool drop_rest();  // of one that was cut: what its clients still give, once it is over
  // For the watchdog: who waits for whom in the component of that name.
  std::string describe(const std::string& name, int servers) const;
};

// Over the servers that are set up for the component; `hosted` must live longer.
std::unique_ptr<messaging::TreeAllreduce> allreduce_of_set_up(messaging::Messenger& messenger,
                                                              HostedComponent& hosted);

}  // namespace tailrace::server
