#include "handshake/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <thread>

#include "base/bytes.hpp"
#include "base/fault_bytes.hpp"
#include "base/index.hpp"
#include "base/log.hpp"
#include "env/clock.hpp"
#include "env/faults.hpp"
#include "env/threads.hpp"
#include "env/topology.hpp"
#include "handshake/bootstrap/neighbours.hpp"
#include "handshake/bootstrap/participant_list.hpp"
#include "handshake/burst_buffer_recovery.hpp"
#include "handshake/connection.hpp"
#include "handshake/failure_detection/failed_servers.hpp"
#include "handshake/failure_detection/startup_monitor.hpp"
#include "handshake/output_names.hpp"
#include "handshake/placement/cpu_ranges.hpp"
#include "handshake/placement/warnings.hpp"
#include "handshake/ready.hpp"
#include "messaging/collectives/polled_allreduce.hpp"

namespace tailrace::handshake {
namespace {

constexpr double seconds_to_connect = 1.0;  // for the TCP connections; some networks refuse them
constexpr double patience_seconds = 1.5;    // to send the last message of a rank that gives up
constexpr auto nap = std::chrono::microseconds(200);

// The message of the first rank of a component: the text of its configuration, or the fault on reading it.
std::vector<std::byte> read_to_bytes(const ConfigurationOrigin& configuration) {
  base::ByteWriter writer;
  try {
    const settings::Sources sources = settings::read_sources(configuration.path, configuration.text);
    put_fault(writer, std::nullopt);
    put_sources(writer, sources);
  } catch (...) {
    base::ByteWriter failed;
    put_fault(failed, base::current_fault());
    return failed.take();
  }
  return writer.take();
}

settings::Sources sources_from(std::span<const std::byte> bytes) {
  base::ByteReader reader(bytes);
  if (const auto fault = get_fault(reader)) throw Error(fault->code, fault->message);
  return get_sources(reader);
}

// Does not read the topology, which takes some milliseconds, for a rank that is not bound.
void set_placement(const std::vector<int>& cpus, Hello& hello) {
  if (cpus.size() > 1 && cpus.size() >= std::thread::hardware_concurrency()) return;
  const env::Topology topology = env::read_topology();
  hello.domain = env::domain_of(topology, cpus);
  hello.only_core = env::only_core_of(topology, cpus);
}

// Duplicates a communicator without blocking, so that the monitor can report ranks that do not take part.
std::unique_ptr<comm::Communicator> duplicate(int communicator, StartupMonitor& monitor) {
  const auto duplication = comm::start_duplication(communicator);
  while (!duplication->done()) {
    monitor.check();
    std::this_thread::sleep_for(nap);
  }
  return duplication->take();
}

void check_agreement(const Run& run) {
  const settings::ServersOptions& first = run.servers();
  for (std::size_t c = 1; c < run.configurations.size(); ++c) {
    if (run.configurations[c].servers == first) continue;
    throw Error(
        ErrorCode::configuration,
        fmt::format(
            "components \"{}\" ({}) and \"{}\" ({}) share the servers, but their sections `servers` differ; "
            "put the section into a file that both include",
            run.assignment.components.front(), run.sources.front().front().name, run.assignment.components[c],
            run.sources[c].front().name));
  }
  OutputNames names;
  for (std::size_t c = 0; c < run.configurations.size(); ++c)
    names.add(run.assignment.components[c], run.configurations[c]);
}

using SourcesByRank = std::map<int, std::vector<std::byte>>;  // by first rank of a component

std::vector<std::byte> sources_to_bytes(const SourcesByRank& sources) {
  base::ByteWriter writer;
  for (const auto& [rank, bytes] : sources) {
    writer.put(static_cast<std::int32_t>(rank));
    writer.put_all(std::span<const std::byte>(bytes));
  }
  return writer.take();
}

void add_sources(SourcesByRank& sources, std::span<const std::byte> bytes) {
  base::ByteReader reader(bytes);
  while (!reader.rest().empty()) {
    const auto rank = reader.get<std::int32_t>();
    sources[rank] = reader.get_all<std::byte>();
  }
}

// On the first rank: makes the run from the properties of all ranks and the configurations of all components.
Run make_run(const std::vector<Participant>& participants, const SourcesByRank& sources) {
  Run run;
  for (const Participant& one : participants) run.nodes.push_back(one.node);
  // The configurations of the components determine the servers, so a first assignment without servers finds
  // the components.
  settings::ServersOptions no_servers;
  no_servers.mode = settings::Mode::off;
  const Assignment all = place(participants, no_servers);
  for (const StridedRuns& ranks : all.ranks) {
    run.sources.push_back(sources_from(sources.at(ranks.front())));
    const std::string& component = all.components[run.sources.size() - 1];
    run.configurations.push_back(settings::parse_configuration(run.sources.back(), nullptr, component));
  }
  run.assignment = place(participants, run.servers());
  if (run.assignment.components != all.components)
    throw Error(ErrorCode::configuration,
                fmt::format("servers: the last ranks become servers, which leaves component \"{}\" without a "
                            "rank; start more ranks or ask for fewer servers",
                            all.components.back()));
  check_agreement(run);
  for (const std::string& warning : placement_warnings(run.assignment, participants, run.servers()))
    base::log_warning(warning);
  return run;
}

std::vector<std::byte> run_to_bytes(const Run& run) {
  base::ByteWriter writer;
  run.nodes.put(writer);
  put_assignment(writer, run.assignment);
  for (const settings::Sources& sources : run.sources) put_sources(writer, sources);
  return writer.take();
}

Run run_from_bytes(std::span<const std::byte> bytes) {
  base::ByteReader reader(bytes);
  Run run;
  run.nodes = StridedRuns::get(reader);
  run.assignment = get_assignment(reader);
  for (std::size_t c = 0; c < run.assignment.components.size(); ++c) {
    run.sources.push_back(get_sources(reader));
    run.configurations.push_back(
        settings::parse_configuration(run.sources.back(), nullptr, run.assignment.components[c]));
  }
  return run;
}

// The bootstrap of a run in two exchanges along a tree. The first gathers the properties of all ranks and
// broadcasts the first rank of each component. The second gathers the configurations, which only these ranks
// read, and broadcasts the run.
class StartupExchange {
 public:
  StartupExchange(comm::Communicator& world, StartupMonitor& monitor)
      : world_(world),
        monitor_(monitor),
        tree_(world, {static_cast<int>(Tag::bootstrap_up), static_cast<int>(Tag::bootstrap_down)}, {}) {}

  // Ends with a barrier that does not block, because the caller then splits communicators, which does.
  void open(const Hello& hello, const std::vector<int>& cpus, const ConfigurationOrigin& configuration,
            Started& started) {
    started.run = exchange_sources(exchange_hellos(hello), configuration);
    meet_neighbours(world_, cpus, started.run, [this] { check(); });
    lines_.emplace(world_, started.run);
    for (const double end = env::steady_seconds() + seconds_to_connect;
         !lines_->all_are_connected() && env::steady_seconds() < end;)
      check();
    env::maybe_fail("groups");
    messaging::synchronize(tree_, [this] { check(); });
    started.run.drained = drain_burst_buffers(tree_, started.run, [this] { check(); });
    messaging::wait_until_sent(tree_, patience_seconds);
    started.lifelines = lines_->take();
  }

  // Notifies the neighbours in the tree, which forward the notice. A dead rank forwards nothing, and no other
  // rank of its node may have seen its end; so the rank that detected it notifies the neighbours of the dead
  // rank too
  // (`in_its_place`).
  void notify(const AbortNotice& abort_notice, bool in_its_place) {
    std::vector<int> ranks = tree_.neighbours();
    if (in_its_place) {
      const messaging::TreePlace place(abort_notice.rank, world_.size());
      ranks.insert(ranks.end(), place.children.begin(), place.children.end());
      if (place.parent >= 0) ranks.push_back(place.parent);
      std::erase(ranks, abort_notice.rank);
    }
    send_abort_notice(world_, std::move(ranks), abort_notice);
  }

  void flush() { messaging::wait_until_sent(tree_, patience_seconds); }

 private:
  void check() {
    monitor_.check();
    if (lines_) lines_->look();
    if (const auto notice = receive_abort_notice(world_)) throw LostInStart(notice->rank, notice->why, false);
    std::this_thread::sleep_for(nap);
  }

  bool exchange_hellos(const Hello& hello) {
    ParticipantList participants = ParticipantList::of(hello);
    const auto answer = messaging::allreduce(
        tree_,
        {[&](std::span<const std::byte> message) { participants.add(ParticipantList::from_bytes(message)); },
         [&] { return participants.to_bytes(); },
         [&] {
           participants_ = participants.participants();
           base::ByteWriter writer;
           writer.put_all(std::span<const int>(first_ranks_of_components(participants_)));
           return writer.take();
         },
         [this] { check(); }},
        "");
    base::ByteReader reader(answer);
    return std::ranges::binary_search(reader.get_all<int>(), world_.rank());
  }

  Run exchange_sources(bool is_first_of_component, const ConfigurationOrigin& configuration) {
    env::maybe_fail("sources");
    SourcesByRank sources;
    if (is_first_of_component) sources[world_.rank()] = read_to_bytes(configuration);
    std::optional<Run> run;
    const auto answer =
        messaging::allreduce(tree_,
                             {[&](std::span<const std::byte> message) { add_sources(sources, message); },
                              [&] { return sources_to_bytes(sources); },
                              [&] {
                                run = make_run(std::exchange(participants_, {}), sources);
                                return run_to_bytes(*run);
                              },
                              [this] { check(); }},
                             "start failed on all ranks; rank 0 of the job reports the reason");
    return run ? std::move(*run) : run_from_bytes(answer);
  }

  comm::Communicator& world_;
  StartupMonitor& monitor_;
  messaging::PolledTree tree_;
  std::optional<LifelinesInStart> lines_;
  std::vector<Participant> participants_;  // on the first rank, until it has placed them
};

void exchange_all(Started& started, StartupMonitor& monitor, const ConfigurationOrigin& configuration,
                  Hello hello) {
  const std::vector<int> cpus = env::cpus_of_all_threads();
  const std::vector<int> ranges = to_ranges(cpus);
  hello.node = env::node_name();
  set_placement(cpus, hello);
  StartupExchange exchange(*started.world, monitor);
  try {
    exchange.open(hello, ranges, configuration, started);
  } catch (const messaging::AgreedFault& fault) {
    exchange.flush();
    throw Error(fault.code(), fault.what());
  } catch (const LostInStart& lost) {
    exchange.notify({lost.rank, lost.why}, lost.seen);
    throw Error(lost.code(), lost.what());
  } catch (...) {
    exchange.notify({started.world->rank(), ended_with(base::current_fault())}, false);
    throw;
  }
}

// MPI_Comm_split blocks, and a rank that dies inside it leaves the others waiting. So it is called as rarely
// as possible: once if there are dedicated servers or several components, else never.
void make_groups(Started& started, StartupMonitor& monitor, int communicator) {
  const Assignment& assignment = started.run.assignment;
  const std::size_t all = assignment.component_of.size();
  const int world = started.world->handle(), rank = started.world->rank();
  const bool is_dedicated = started.run.servers().mode == settings::Mode::dedicated;
  const bool is_server = assignment.servers.find(rank).has_value();
  started.number = started.place = assignment.component_of[base::index(rank)];
  started.components = static_cast<int>(assignment.components.size());
  const int beside =
      static_cast<int>(assignment.ranks.size());  // the colour of ranks that are not model ranks
  auto group = assignment.ranks.front().size() == all
                   ? duplicate(world, monitor)
                   : started.world->split(started.number < 0 ? beside : started.number, rank);
  if (started.number >= 0) {
    started.component = std::move(group);
    env::maybe_fail("copies");
    started.model = duplicate(started.component->handle(), monitor);
    started.model->hand_over(communicator);
  }
  if (is_dedicated)
    started.servers = is_server ? std::move(group) : nullptr;
  else if (assignment.servers.size() == all)
    started.servers = duplicate(world, monitor);
  else  // there is a `tailrace serve` although the mode needs none
    started.servers = started.world->split(is_server ? 0 : -1, rank);
}

// Collective over a component. All its ranks have the same level, unless its model is made of several
// programs.
void check_threads(comm::Communicator& component) {
  const comm::ThreadLevel level = comm::thread_level();
  const bool lacks = level != comm::ThreadLevel::multiple;
  if (!component.any_says(lacks)) return;
  const base::Fault fault{
      ErrorCode::usage,
      fmt::format("servers.mode: attached runs a server thread in each model rank, which needs "
                  "MPI_THREAD_MULTIPLE; the model started MPI with {}. Call MPI_Init_thread, or use `mode: "
                  "dedicated`",
                  lacks ? comm::name_of(level) : "less on another rank")};
  const base::Fault shared = shared_fault(fault, "start", component.rank() == 0);
  throw Error(shared.code, shared.message);
}

}  // namespace

Started start(int communicator, const ConfigurationOrigin& configuration, const std::string& component,
              bool serves) {
  Started started;
  {
    StartupMonitor monitor(comm::members_of(communicator));
    env::maybe_fail("hello");
    started.world = duplicate(communicator, monitor);
    Hello hello;
    hello.serves = serves;
    hello.component = component;
    exchange_all(started, monitor, configuration, std::move(hello));
    make_groups(started, monitor, communicator);
  }
  if (started.run.servers().mode == settings::Mode::attached && started.component)
    check_threads(*started.component);
  return started;
}

}  // namespace tailrace::handshake
