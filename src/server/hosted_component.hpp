// A component in the server process, from the first message about it to its end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "handshake/connection.hpp"
#include "handshake/failure_detection/failed_servers.hpp"
#include "handshake/run.hpp"
#include "messaging/collectives/tree_allreduce.hpp"
#include "messaging/messenger.hpp"
#include "pipeline/served_component.hpp"
#include "server/input/input_service.hpp"
#include "server/intake.hpp"
#include "server/regrid/regrid_preparation.hpp"

namespace tailrace::server {

struct HostedComponent {
  enum class State { awaited, connecting, running, over };
  int number = 0;  // among all of this run, streams included: it selects the kinds of messages
  // Where it is described: in the run of the process, or, a stream, in a run of its own.
  const handshake::Run* run = nullptr;
  int index = 0;  // among the components of `run`
  handshake::Place place = 0;
  std::unique_ptr<const handshake::Run> own_run;        // of a stream
  std::unique_ptr<handshake::FailedServers> own_ranks;  // of a stream: which of them are gone
  int root = 0;                                         // rank in the whole run
  std::vector<int> clients;                             // of this server: ranks in the component
  std::vector<int> ranks;                               // in the whole run, of the same clients
  State state = State::awaited;
  std::unique_ptr<pipeline::ServedComponent> component;
  std::unique_ptr<Intake> intake;             // null until it runs, and on a server without clients of it
  std::unique_ptr<InputService> input;        // null if it has no input fields
  std::unique_ptr<RegridPreparation> regrid;  // null if it regrids nothing, and once it runs
  std::vector<unsigned char> invited;         // by client of this server
  std::vector<Link> links;                    // of the connected clients, until it runs
  std::shared_ptr<transport::PollGroup> poll_group;
  std::optional<base::Fault> own_fault;  // sent to all servers once all clients of this server are connected
  bool announced = false;
  std::unique_ptr<messaging::TreeAllreduce> set_up;  // over the servers that are set up
  std::optional<std::vector<std::byte>> declared;  // the message of the first rank, if another server sent it
  std::uint64_t begin_nanoseconds = 0;             // when its clients learned that all is set up
  std::optional<base::Fault> fault;                // the first fault of the setup, on any server

  // Call once all clients are connected on all servers. From then on the component takes their packets.
  void start(const sinks::SinkServices& services);
  bool progress();  // while the component runs; true if anything moved
  bool ends() const { return component->over() && (!input || input->over()); }
  bool has_read_headers() const { return !input || input->is_prepared(); }  // of input files
  bool has_weights() const { return !regrid || regrid->over(); }  // of regridding, or why it has none
  bool drop_rest();  // discards packets that arrive after a component was cut
  // For the watchdog: describes who waits for whom.
  std::string describe(int servers) const;
  bool is_stream() const { return own_run != nullptr; }
  const std::string& name() const { return run->assignment.components[base::index(index)]; }
  // The clients of a server among its ranks, as pairs (rank in the component, rank in the whole run).
  void set_clients(int server);

 private:
  ClientTimes client_times() const;
};

// Makes the reduction that is over once all servers have set the component up. `hosted` must live longer.
std::unique_ptr<messaging::TreeAllreduce> allreduce_of_set_up(messaging::Messenger& messenger,
                                                              HostedComponent& hosted);

}  // namespace tailrace::server
