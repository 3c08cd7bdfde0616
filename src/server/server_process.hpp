// The servers' side of a run on one rank: connects the components as they become ready, drives them until
// all are over, and writes the report. A dedicated server runs it in a loop, an attached one on a thread,
// and an inline one inside the model's calls.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "handshake/assignment.hpp"
#include "handshake/connection.hpp"
#include "handshake/output_names.hpp"
#include "handshake/run.hpp"
#include "handshake/start.hpp"
#include "messaging/collectives/tree_allreduce.hpp"
#include "messaging/messenger.hpp"
#include "messaging/sending.hpp"
#include "pipeline/served_component.hpp"
#include "regrid/rank_cells.hpp"
#include "server/executor.hpp"
#include "server/peer_servers.hpp"
#include "server/reporter.hpp"
#include "server/resources/pinning.hpp"
#include "server/resources/shared_memory_account.hpp"
#include "server/stop_controller.hpp"

namespace tailrace::server {

struct HostedComponent;

class ServerProcess {
 public:
  // Local. `world` holds clients and servers; both must live longer, as must `run`.
  ServerProcess(comm::Communicator& world, comm::Communicator& servers, const handshake::Run& run,
                handshake::Lifelines lifelines);
  ~ServerProcess();

  bool progress();      // does the work that is possible; true if anything moved
  bool done() const;    // every component is over, on all servers
  void run();           // blocks until done, then calls write_report()
  void write_report();  // once, when done
  StopController& stop_controller() { return stop_; }
  // Whether the run was stopped and there is no time left to wait, whether it is done or not.
  bool out_of_time() const;
  bool cut() const;                          // a component ended before its model did
  std::optional<base::Fault> fatal() const;  // the error that kept a component from its regular end
  bool refused() const;  // whether that was in `ready`, so that the model's ranks report it
  // Whether this server serves the component and has not saved its state for a checkpoint yet.
  bool cuts_checkpoint(int component) const;
  bool lost_peer() const { return peers_.failed_servers().count() > 0; }
  transport::Doorbell& doorbell() { return *bell_.doorbell; }
  handshake::LocalEnds& local_ends() { return local_ends_; }

 private:
  bool progress(HostedComponent& hosted);
  sinks::SinkServices services() {
    return {executor_, reporter_.counters(), reporter_.commit_log(), &reporter_.trace(), reporter_.begin()};
  }
  bool accept_streams();
  void open_stream(const std::vector<std::byte>& notice);
  bool receive_declarations(HostedComponent& hosted);
  std::optional<std::vector<std::byte>> declared(HostedComponent& hosted);
  void set_up(HostedComponent& hosted, std::span<const std::byte> message);
  bool give_up_without_all(HostedComponent& hosted);
  bool connect(HostedComponent& hosted);
  bool announced() const;          // no message can come that the doorbell does not announce
  bool awaits_first_step() const;  // of its clients, and all is set up
  void accept(HostedComponent& hosted, std::size_t client, std::span<const std::byte> message);
  static void accept_cells(HostedComponent& hosted, std::vector<regrid::RankCells> all);
  void accept_output(HostedComponent& hosted, std::size_t client, const std::string& invitation);
  std::unique_ptr<transport::Producer> producer_for(const HostedComponent& hosted, std::size_t client,
                                                    const std::string& invitation);
  int tag_of(const HostedComponent& hosted, handshake::Tag tag) const;
  void tell_clients(const HostedComponent& hosted, handshake::Tag tag, std::vector<std::byte> bytes);
  void reply(HostedComponent& hosted);
  void forget_doorbell();
  void look_for_stop();
  void lose(int server);  // no more messages will come from it: gives up the work that needs them
  void say_goodbye(HostedComponent& hosted);
  void end();
  telemetry::StatusSnapshot snapshot() const;
  std::string outcome() const;
  std::string describe();

  comm::Communicator& world_;
  const handshake::Run& run_;
  ThreadPinning pinning_;
  transport::shm::NamedDoorbell bell_;
  handshake::LocalEnds local_ends_;
  messaging::Messenger messenger_;
  PeerServers peers_;
  Reporter reporter_;
  SharedMemoryAccount memory_;
  StopController stop_;
  Executor executor_;
  std::vector<std::unique_ptr<HostedComponent>> components_;  // by number
  // Declarations of streams that this server does not know yet, by number.
  std::map<std::size_t, std::vector<std::byte>> early_;
  handshake::OutputNames names_;  // on the first server: of the components that are ready
  std::vector<messaging::Sending> sendings_;
  std::set<int> lost_;             // servers
  messaging::TreeAllreduce byes_;  // servers that have ended, and their reports
  bool ended_ = false;
};

// Runs a dedicated server from its first message to its last. Blocks. Throws the fault that kept a component
// from its regular end.
void serve_until_done(handshake::Started& started);

}  // namespace tailrace::server
