// The servers' side of a run on one rank: connects the components as they become ready, drives them until all
// are over, and reports. A dedicated server runs it in a loop, an attached one on a thread, mode inline
// inside the model's calls.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "env/clock.hpp"
#include "messaging/messenger.hpp"
#include "server/executor.hpp"
#include "session/component.hpp"
#include "session/connection.hpp"
#include "session/placement.hpp"
#include "telemetry/report.hpp"
#include "telemetry/status.hpp"

namespace tailrace::session {

// What every rank knows after the first exchange of `start`.
struct Run {
  Placement placement;
  std::vector<Sources> sources;               // by component
  std::vector<Configuration> configurations;  // by component, without the model's options
  std::vector<int> nodes;                     // by rank
  const ServersOptions& servers() const { return configurations.front().servers; }
};

// Whether a model rank reaches its dedicated server through shared memory.
bool uses_shared_memory(const Run& run, int rank);

class Host {
 public:
  // Collective over `servers`. `world` holds clients and servers; both must live longer, as must `run`.
  Host(comm::Communicator& world, comm::Communicator& servers, const Run& run);
  ~Host();

  bool progress();                           // does what there is to do; true if anything moved
  bool done() const;                         // every component is over, on all servers
  void run();                                // until done, then write_report; blocks
  void write_report();                       // once, when done
  std::optional<base::Fault> fatal() const;  // what kept a component from its regular end
  bool settled()
      const;  // mode inline: all that could be done so far is done, and nothing is on its way from here
  transport::Doorbell& doorbell() { return *bell_.doorbell; }
  LocalEnds& local_ends() { return local_ends_; }

 private:
  struct Slot;  // a component, from the first word about it to its end
  bool progress(Slot& slot);
  bool receive_declarations(Slot& slot);
  void set_up(Slot& slot, std::span<const std::byte> message);
  bool connect(Slot& slot);
  bool announced() const;  // no word can come that the doorbell does not announce
  void accept(Slot& slot, std::size_t client, std::span<const std::byte> message);
  void reply(Slot& slot);
  void forget_doorbell();
  void say_goodbye(Slot& slot);
  void prepare_report(comm::Communicator& servers);
  void publish_status();
  void end();
  std::string transport_names() const;
  telemetry::StatusSnapshot snapshot() const;
  std::string outcome() const;
  std::string describe() const;

  comm::Communicator& world_;
  const Run& run_;
  transport::shm::NamedDoorbell bell_;
  LocalEnds local_ends_;
  messaging::Messenger messenger_;
  telemetry::ServerCounters counters_;
  telemetry::Trace trace_;
  std::unique_ptr<telemetry::Status> status_;
  std::unique_ptr<telemetry::CommitLog> commit_log_;
  telemetry::RunReport report_;
  std::optional<base::Fault> start_fault_;  // of server 0, known to all
  double begin_ = env::steady_seconds();
  server::Executor executor_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<Sending> sendings_;
  int byes_ = 0;
  bool ended_ = false;
};

}  // namespace tailrace::session
