#include "handshake/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <thread>

#include "base/bytes.hpp"
#include "base/log.hpp"
#include "env/clock.hpp"
#include "env/faults.hpp"
#include "env/threads.hpp"
#include "env/topology.hpp"
#include "handshake/bootstrap/exchange.hpp"
#include "handshake/bootstrap/neighbours.hpp"
#include "handshake/bootstrap/participant_list.hpp"
#include "handshake/burst_buffer_recovery.hpp"
#include "handshake/connection.hpp"
#include "handshake/failure_detection/failed_servers.hpp"
#include "handshake/failure_detection/startup_monitor.hpp"
#include "handshake/placement/cpu_ranges.hpp"
#include "handshake/placement/warnings.hpp"
#include "output/dataset.hpp"

namespace tailrace::handshake {
namespace {

constexpr double seconds_to_connect = 1.0;  // by TCP, where it can be done at all
constexpr double patience_seconds = 1.5;    // for the last word of a rank that gives up
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

// To read the topology costs some milliseconds, and a rank that is not bound is at no place anyway.
void say_place(const std::vector<int>& cpus, Hello& hello) {
  if (cpus.size() > 1 && cpus.size() >= std::thread::hardware_concurrency()) return;
  const env::Topology topology = env::read_topology();
  hello.domain = env::domain_of(topology, cpus);
  hello.only_core = env::only_core_of(topology, cpus);
}

// The same ranks once more. No MPI call here waits for those that do not come.
std::unique_ptr<comm::Communicator> duplicate(int communicator, StartupMonitor& attendance) {
  const auto duplication = comm::start_duplication(communicator);
  while (!duplication->done()) {
    attendance.look();
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
  std::vector<std::pair<std::string, std::size_t>> paths;
  for (std::size_t c = 0; c < run.configurations.size(); ++c) {
    for (const settings::OutputEntry& file : run.configurations[c].files) {
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

using Said = std::map<int, std::vector<std::byte>>;  // by rank that speaks

std::vector<std::byte> said_to_bytes(const Said& said) {
  base::ByteWriter writer;
  for (const auto& [rank, bytes] : said) {
    writer.put(static_cast<std::int32_t>(rank));
    writer.put_all(std::span<const std::byte>(bytes));
  }
  return writer.take();
}

void add_said(Said& said, std::span<const std::byte> bytes) {
  base::ByteReader reader(bytes);
  while (!reader.rest().empty()) {
    const auto rank = reader.get<std::int32_t>();
    said[rank] = reader.get_all<std::byte>();
  }
}

// On the first rank: what all say of themselves, and what the speakers have read.
Run agree(const std::vector<Participant>& participants, const Said& said) {
  Run run;
  for (const Participant& one : participants) run.nodes.push_back(one.node);
  // Every model rank counts as a model first, to find the components; the servers are chosen by what these
  // say.
  settings::ServersOptions no_servers;
  no_servers.mode = settings::Mode::off;
  const Assignment all = place(participants, no_servers);
  for (const StridedRuns& ranks : all.ranks) {
    run.sources.push_back(sources_from(said.at(ranks.front())));
    run.configurations.push_back(settings::parse_configuration(run.sources.back(), nullptr));
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
    run.configurations.push_back(settings::parse_configuration(run.sources.back(), nullptr));
  }
  return run;
}

// Who is there goes up to the first rank, who has to speak comes down; what these say goes up, and what
// follows from it all comes down.
class Opening {
 public:
  Opening(comm::Communicator& world, StartupMonitor& attendance)
      : world_(world),
        attendance_(attendance),
        tree_(world, {static_cast<int>(Tag::call_up), static_cast<int>(Tag::call_down)}, {}) {}

  // MPI makes communicators in calls that block: they come right behind an exchange that does not.
  void open(const Hello& hello, const std::vector<int>& cpus, const std::string& configuration,
            Started& started) {
    started.run = hear_all(speaks_after(hello), configuration);
    meet_neighbours(world_, cpus, started.run, [this] { look(); });
    lines_.emplace(world_, started.run);
    for (const double end = env::steady_seconds() + seconds_to_connect;
         !lines_->all_are_connected() && env::steady_seconds() < end;)
      look();
    env::maybe_fail("groups");
    come_together(tree_, [this] { look(); });
    started.run.drained = drain_burst_buffers(tree_, started.run, [this] { look(); });
    settle(tree_, patience_seconds);
    started.lifelines = lines_->take();
  }

  // The neighbours in the tree hear of it and pass it on. One that is lost passes nothing on, and may be
  // alone on its node: who has seen it end tells its neighbours as well.
  void tell(const AbortNotice& abort_notice, bool for_it) {
    std::vector<int> ranks = tree_.neighbours();
    if (for_it) {
      const messaging::TreePlace place(abort_notice.rank, world_.size());
      ranks.insert(ranks.end(), place.children.begin(), place.children.end());
      if (place.parent >= 0) ranks.push_back(place.parent);
      std::erase(ranks, abort_notice.rank);
    }
    send_abort_notice(world_, std::move(ranks), abort_notice);
  }

  void settle_words() { settle(tree_, patience_seconds); }

 private:
  void look() {
    attendance_.look();
    if (lines_) lines_->look();
    if (const auto heard = hear_farewell(world_)) throw LostInStart(heard->rank, heard->why, false);
    std::this_thread::sleep_for(nap);
  }

  bool speaks_after(const Hello& hello) {
    ParticipantList roster = ParticipantList::of(hello);
    const auto answer =
        exchange(tree_,
                 {[&](std::span<const std::byte> word) { roster.add(ParticipantList::from_bytes(word)); },
                  [&] { return roster.to_bytes(); },
                  [&] {
                    participants_ = roster.participants();
                    base::ByteWriter writer;
                    writer.put_all(std::span<const int>(speakers_among(participants_)));
                    return writer.take();
                  },
                  [this] { look(); }},
                 "");
    base::ByteReader reader(answer);
    return std::ranges::binary_search(reader.get_all<int>(), world_.rank());
  }

  Run hear_all(bool speaks, const std::string& configuration) {
    env::maybe_fail("sources");
    Said said;
    if (speaks) said[world_.rank()] = read_to_bytes(configuration);
    std::optional<Run> run;
    const auto answer = exchange(
        tree_,
        {[&](std::span<const std::byte> word) { add_said(said, word); }, [&] { return said_to_bytes(said); },
         [&] {
           run = agree(std::exchange(participants_, {}), said);
           return run_to_bytes(*run);
         },
         [this] { look(); }},
        "start failed on all ranks alike; rank 0 of the job tells why");
    return run ? std::move(*run) : run_from_bytes(answer);
  }

  comm::Communicator& world_;
  StartupMonitor& attendance_;
  Tree tree_;
  std::optional<LifelinesInStart> lines_;
  std::vector<Participant> participants_;  // on the first rank, until it has placed them
};

void meet_all(Started& started, StartupMonitor& attendance, const std::string& configuration, Hello hello) {
  const std::vector<int> cpus = env::cpus_of_all_threads();
  const std::vector<int> ranges = to_ranges(cpus);
  hello.node = env::node_name();
  say_place(cpus, hello);
  Opening opening(*started.world, attendance);
  try {
    opening.open(hello, ranges, configuration, started);
  } catch (const AgreedFault& fault) {
    opening.settle_words();
    throw Error(fault.code(), fault.what());
  } catch (const LostInStart& lost) {
    opening.tell({lost.rank, lost.why}, lost.seen);
    throw Error(lost.code(), lost.what());
  } catch (...) {
    opening.tell({started.world->rank(), ended_with(base::current_fault())}, false);
    throw;
  }
}

// MPI splits in a call that blocks, in which a rank whose process ends leaves the others waiting. So it is
// called as seldom as can be: once where there are dedicated servers or several components, else not at all.
void make_groups(Started& started, StartupMonitor& attendance) {
  const Assignment& assignment = started.run.assignment;
  const std::size_t all = assignment.component_of.size();
  const int world = started.world->handle(), rank = started.world->rank();
  const bool is_dedicated = started.run.servers().mode == settings::Mode::dedicated;
  const bool is_server = assignment.servers.find(rank).has_value();
  started.number = assignment.component_of[static_cast<std::size_t>(rank)];
  const int beside = static_cast<int>(assignment.ranks.size());  // the colour of ranks that are no models
  auto group = assignment.ranks.front().size() == all
                   ? duplicate(world, attendance)
                   : started.world->split(started.number < 0 ? beside : started.number, rank);
  if (started.number >= 0) {
    started.component = std::move(group);
    env::maybe_fail("copies");
    started.model = duplicate(started.component->handle(), attendance);
  }
  if (is_dedicated)
    started.servers = is_server ? std::move(group) : nullptr;
  else if (assignment.servers.size() == all)
    started.servers = duplicate(world, attendance);
  else  // a `tailrace serve` that nobody needs
    started.servers = started.world->split(is_server ? 0 : -1, rank);
}

}  // namespace

Started start(int communicator, const std::string& configuration, const std::string& component, bool serves) {
  Started started;
  {
    StartupMonitor attendance(comm::members_of(communicator));
    env::maybe_fail("hello");
    started.world = duplicate(communicator, attendance);
    Hello hello;
    hello.serves = serves;
    hello.component = component;
    meet_all(started, attendance, configuration, std::move(hello));
    make_groups(started, attendance);
  }
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
