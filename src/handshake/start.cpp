#include "handshake/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <thread>

#include "base/bytes.hpp"
#include "base/log.hpp"
#include "env/clock.hpp"
#include "env/faults.hpp"
#include "env/threads.hpp"
#include "env/topology.hpp"
#include "handshake/connection.hpp"
#include "handshake/liveness/attendance.hpp"
#include "handshake/losses.hpp"
#include "handshake/placement/cpu_ranges.hpp"
#include "handshake/placement/warnings.hpp"
#include "output/dataset.hpp"

namespace tailrace::handshake {
namespace {

constexpr double look_seconds = 0.25;  // between two looks whether all are there
constexpr auto nap = std::chrono::microseconds(200);

void put_sources(base::ByteWriter& writer, const settings::Sources& sources) {
  writer.put(static_cast<std::int64_t>(sources.size()));
  for (const settings::SourceFile& file : sources) {
    writer.put_text(file.name);
    writer.put_text(file.text);
    writer.put(static_cast<std::uint8_t>(file.is_data));
  }
}

settings::Sources get_sources(base::ByteReader& reader) {
  settings::Sources sources;
  for (auto left = reader.get<std::int64_t>(); left > 0; --left) {
    settings::SourceFile& file = sources.emplace_back();
    file.name = reader.get_text();
    file.text = reader.get_text();
    file.is_data = reader.get<std::uint8_t>() != 0;
  }
  return sources;
}

// The bytes that the speaker of a group says to all: its configuration's text, or why it cannot be read.
std::vector<std::byte> read_to_bytes(const std::string& path) {
  base::ByteWriter writer;
  try {
    const settings::Sources sources = settings::read_sources(path);
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

struct Hello {
  bool serves = false;
  std::string component;
  std::string node;
  transport::ProcessId process;
  std::vector<int> cpus;  // on which it may run, as ranges
  int domain = -1;        // the NUMA domain of all of them
};

// To read the topology costs some milliseconds, and a rank that is not bound is in no domain anyway.
int own_domain(const std::vector<int>& cpus) {
  if (cpus.size() >= std::thread::hardware_concurrency()) return -1;
  return env::domain_of(env::read_topology(), cpus);
}

// All ranks of the run, for Tailrace alone. No MPI call here waits for those that have not come.
std::unique_ptr<comm::Communicator> meet(int communicator, Attendance& attendance) {
  const auto duplication = comm::start_duplication(communicator);
  while (!duplication->done()) {
    attendance.look();
    std::this_thread::sleep_for(nap);
  }
  return duplication->take();
}

std::vector<Hello> exchange_hellos(comm::Communicator& world, const std::string& component, bool serves,
                                   Attendance& attendance) {
  base::ByteWriter writer;
  writer.put(static_cast<std::uint8_t>(serves));
  writer.put_text(component);
  writer.put_text(env::node_name());
  writer.put(transport::this_process());
  const std::vector<int> cpus = env::cpus_of_all_threads();
  writer.put(own_domain(cpus));
  writer.put_all(std::span<const int>(to_ranges(cpus)));
  std::vector<Hello> hellos;
  for (const auto& bytes : gather_all(world, writer.take(), [&] { attendance.look(); })) {
    base::ByteReader reader(bytes);
    const bool other_serves = reader.get<std::uint8_t>() != 0;
    std::string name = reader.get_text();
    std::string node = reader.get_text();
    const auto process = reader.get<transport::ProcessId>();
    const int domain = reader.get<int>();
    hellos.push_back(
        {other_serves, std::move(name), std::move(node), process, reader.get_all<int>(), domain});
  }
  return hellos;
}

// A node is named by the lowest of its ranks.
std::vector<int> nodes_of(const std::vector<Hello>& hellos) {
  std::map<std::string, int> first;
  std::vector<int> nodes;
  for (const Hello& hello : hellos)
    nodes.push_back(first.try_emplace(hello.node, static_cast<int>(nodes.size())).first->second);
  return nodes;
}

// The first rank of each component (and the first `tailrace serve`) speaks; the others are silent.
bool speaks(const std::vector<Hello>& hellos, std::size_t rank) {
  return std::none_of(hellos.begin(), hellos.begin() + static_cast<std::ptrdiff_t>(rank),
                      [&](const Hello& other) {
                        return other.serves == hellos[rank].serves &&
                               (other.serves || other.component == hellos[rank].component);
                      });
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
  std::vector<std::pair<std::string, std::size_t>> paths;
  for (std::size_t c = 0; c < run.configurations.size(); ++c) {
    for (const settings::FileEntry& file : run.configurations[c].files) {
      for (const auto& [path, other] : paths) {
        if (path != file.path) continue;
        throw Error(
            ErrorCode::configuration,
            fmt::format("{}  output: components \"{}\" and \"{}\" both write the file {}; give each its own",
                        file.location.text(), run.assignment.components[other], run.assignment.components[c],
                        file.path));
      }
      if (output::find_format(file.format)->makes_files()) paths.emplace_back(file.path, c);
    }
  }
}

// While the sources are gathered every rank is needed.
void refuse_if_any_is_gone(comm::Communicator& world, const Run& run) {
  if (const auto heard = hear_farewell(world))
    throw Error(ErrorCode::lost,
                fmt::format("rank {} of the run is lost in start: {}", heard->rank, heard->why));
  for (std::size_t rank = 0; rank < run.processes.size(); ++rank)
    if (run.nodes[rank] == run.nodes[static_cast<std::size_t>(world.rank())] &&
        transport::gone(run.processes[rank]))
      throw Error(ErrorCode::lost, fmt::format("rank {} of the run is gone: its process {} ended in start",
                                               rank, run.processes[rank].number));
}

// What each rank has to say, by rank. `prepare` makes it here; what it throws is told to the others.
template <class Prepare>
std::vector<std::vector<std::byte>> gather_with_all(comm::Communicator& world, const Run& run,
                                                    const Prepare& prepare) {
  double next_look = 0.0;
  try {
    return gather_all(world, prepare(), [&] {
      if (env::steady_seconds() < next_look) return;
      next_look = env::steady_seconds() + look_seconds;
      refuse_if_any_is_gone(world, run);
    });
  } catch (const Error& error) {
    std::vector<int> all(run.nodes.size());
    std::iota(all.begin(), all.end(), 0);
    if (error.code() != ErrorCode::lost)
      say_farewell(world, all, {world.rank(), ended_with(base::current_fault())});
    throw;
  }
}

// By rank; `configuration` of a rank that is silent is empty.
std::vector<std::vector<std::byte>> exchange_sources(comm::Communicator& world, const Run& run,
                                                     const std::string& configuration) {
  return gather_with_all(world, run, [&] {
    env::maybe_fail("sources");
    return configuration.empty() ? std::vector<std::byte>{} : read_to_bytes(configuration);
  });
}

// MPI makes communicators in calls that block: they come right behind a gathering that does not.
void come_together(comm::Communicator& world, const Run& run) {
  gather_with_all(world, run, [] {
    env::maybe_fail("groups");
    return std::vector<std::byte>{};
  });
}

// By rank.
struct Said {
  std::vector<Hello> hellos;
  std::vector<std::vector<std::byte>> sources;
};

// What it throws is of this rank alone, or of one that is lost. Of `run` it knows nodes and processes.
Said hear_all(comm::Communicator& world, const std::string& configuration, std::vector<Hello> hellos,
              Run& run) {
  Said said{std::move(hellos), {}};
  run.nodes = nodes_of(said.hellos);
  for (const Hello& hello : said.hellos) run.processes.push_back(hello.process);
  for (std::size_t rank = 0; rank < run.nodes.size(); ++rank)
    if (run.nodes[rank] == run.nodes[static_cast<std::size_t>(world.rank())])
      run.cpus_on_node.push_back({static_cast<int>(rank), from_ranges(said.hellos[rank].cpus)});
  const bool speaks_here = speaks(said.hellos, static_cast<std::size_t>(world.rank()));
  said.sources = exchange_sources(world, run, speaks_here ? configuration : std::string());
  return said;
}

// What it throws is the same on all ranks, which need not all print it.
Run agree(comm::Communicator& world, const Said& said, Run run) {
  std::vector<Participant> participants;
  for (std::size_t rank = 0; rank < said.hellos.size(); ++rank) {
    const Hello& hello = said.hellos[rank];
    participants.push_back(
        {hello.serves, hello.component, run.nodes[rank], hello.domain, only_one_of(hello.cpus)});
  }
  // Every model rank counts as a model first, to find the components; the servers are chosen by what these
  // say.
  settings::ServersOptions no_servers;
  no_servers.mode = settings::Mode::off;
  const Assignment all = place(participants, no_servers);
  for (const std::vector<int>& ranks : all.ranks) {
    run.sources.push_back(sources_from(said.sources[static_cast<std::size_t>(ranks.front())]));
    run.configurations.push_back(settings::parse_configuration(run.sources.back(), nullptr));
  }
  run.assignment = place(participants, run.servers());
  if (run.assignment.components != all.components)
    throw Error(ErrorCode::configuration,
                fmt::format("servers: the last ranks become servers, which leaves component \"{}\" without a "
                            "rank; start more ranks or ask for fewer servers",
                            all.components.back()));
  check_agreement(run);
  if (world.rank() == 0)
    for (const std::string& warning : placement_warnings(run.assignment, participants, run.servers()))
      base::log_warning(warning);
  return run;
}

}  // namespace

Started start(int communicator, const std::string& configuration, const std::string& component, bool serves) {
  Started started;
  std::vector<Hello> hellos;
  {
    Attendance attendance(comm::members_of(communicator));
    env::maybe_fail("hello");
    started.world = meet(communicator, attendance);
    hellos = exchange_hellos(*started.world, component, serves, attendance);
  }
  Run met;
  const Said said = hear_all(*started.world, configuration, std::move(hellos), met);
  try {
    started.run = agree(*started.world, said, std::move(met));
  } catch (const Error& error) {
    if (started.world->rank() == 0) throw;
    throw Error(error.code(), "start failed on all ranks alike; rank 0 of the job tells why");
  }
  come_together(*started.world, started.run);
  const Assignment& assignment = started.run.assignment;
  const int rank = started.world->rank();
  started.number = assignment.component_of[static_cast<std::size_t>(rank)];
  started.component = started.world->split(started.number, rank);
  if (started.component) started.model = started.component->duplicate();
  const auto serving = std::find(assignment.servers.begin(), assignment.servers.end(), rank);
  started.servers = started.world->split(serving == assignment.servers.end() ? -1 : 0, rank);
  if (started.run.servers().mode == settings::Mode::attached &&
      comm::thread_level() != comm::ThreadLevel::multiple)
    throw Error(
        ErrorCode::usage,
        fmt::format("servers.mode: attached runs a server thread in each model rank, which needs "
                    "MPI_THREAD_MULTIPLE; the model started MPI with {}. Call MPI_Init_thread, or use `mode: "
                    "dedicated`",
                    comm::name_of(comm::thread_level())));
  return started;
}

}  // namespace tailrace::handshake
