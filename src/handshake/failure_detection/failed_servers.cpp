#include "handshake/failure_detection/failed_servers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "env/clock.hpp"

namespace tailrace::handshake {
namespace {

constexpr double look_seconds = 0.25;
constexpr double farewell_seconds = 1.5;

void nap() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

}  // namespace

FailedServers::FailedServers(const Run& run, int rank)
    : run_(run), rank_(rank), why_(run.assignment.servers.size()) {
  const StridedRuns& servers = run_.assignment.servers;
  const int own_node = run_.nodes[static_cast<std::size_t>(rank_)];
  for (const auto& [first, end] : run_.nodes.stretches_of(own_node))
    for (std::size_t one = first; one < end; ++one)
      if (const auto server = servers.find(static_cast<int>(one)); server && static_cast<int>(one) != rank_)
        in_sight_.push_back(static_cast<int>(*server));
}

transport::ProcessId FailedServers::process_of(int server) const {
  const auto known = run_.processes.find(run_.assignment.servers[static_cast<std::size_t>(server)]);
  return known == run_.processes.end() ? transport::ProcessId{} : known->second;
}

std::vector<int> FailedServers::look() {
  std::vector<int> found;
  const double now = env::steady_seconds();
  if (now < next_look_) return found;
  const auto find = [&](int server) {
    if (lost(server)) return;
    note(server, process_ended);
    found.push_back(server);
  };
  for (const int server : in_sight_)
    if (!lost(server) && transport::gone(process_of(server))) find(server);
  for (LifelineTo& line : lines_)
    if (line.line.look() == env::Lifeline::State::cut) find(line.server);
  next_look_ = now + look_seconds;
  return found;
}

void FailedServers::watch(LifelineTo line) {
  lines_.push_back(std::move(line));
  next_look_ = 0.0;
}

bool FailedServers::is_silent(int server) const {
  return std::ranges::any_of(lines_, [server](const LifelineTo& one) {
    return one.server == server && one.line.state() == env::Lifeline::State::silent;
  });
}

bool FailedServers::is_watched(int server) const {
  return in_sight(server) || std::ranges::any_of(lines_, [server](const LifelineTo& one) {
           return one.server == server && one.line.state() != env::Lifeline::State::unknown;
         });
}

void FailedServers::note(int server, const std::string& why) {
  auto& place = why_[static_cast<std::size_t>(server)];
  if (place && *place != process_ended) return;
  if (!place) ++count_;
  place = why;
}

std::string FailedServers::name(int server) const {
  const int rank = run_.assignment.servers[static_cast<std::size_t>(server)];
  const std::int32_t process = process_of(server).number;
  return process == 0 ? fmt::format("server {} (rank {} of the run)", server, rank)
                      : fmt::format("server {} (rank {} of the run, process {})", server, rank, process);
}

std::string FailedServers::how(int server) const {
  return fmt::format("{} is gone: {}", name(server), why(server));
}

base::Fault FailedServers::fault(int server) const {
  return {ErrorCode::lost, how(server) + "; what was committed until then is in the files"};
}

bool FailedServers::in_sight(int server) const {
  return std::find(in_sight_.begin(), in_sight_.end(), server) != in_sight_.end();
}

bool FailedServers::is_stopped(int server) const {
  return in_sight(server) && transport::stopped(process_of(server));
}

std::vector<int> FailedServers::stopped_others(int server) const {
  std::vector<int> stopped;
  for (const int other : in_sight_)
    if (other != server && is_stopped(other)) stopped.push_back(other);
  return stopped;
}

std::optional<int> FailedServers::first_other(int server) const {
  for (std::size_t other = 0; other < why_.size(); ++other)
    if (why_[other] && static_cast<int>(other) != server) return static_cast<int>(other);
  return std::nullopt;
}

transport::ProcessId process_in_sight(const Run& run, int rank, int other) {
  const bool near = run.nodes[static_cast<std::size_t>(rank)] == run.nodes[static_cast<std::size_t>(other)];
  const auto known = near ? run.processes.find(other) : run.processes.end();
  return known == run.processes.end() ? transport::ProcessId{} : known->second;
}

std::optional<base::Fault> FailedServers::find_gone_rank(int component) {
  const auto c = static_cast<std::size_t>(component);
  const double now = env::steady_seconds();
  next_look_at_ranks_.resize(run_.assignment.ranks.size());
  if (now < next_look_at_ranks_[c]) return std::nullopt;
  next_look_at_ranks_[c] = now + look_seconds;
  for (const auto& [rank, process] : run_.processes) {
    if (run_.assignment.component_of[static_cast<std::size_t>(rank)] != component) continue;
    if (process_in_sight(run_, rank_, rank).number == 0 || !transport::gone(process)) continue;
    return base::Fault{
        ErrorCode::lost,
        fmt::format("rank {} of the run is gone: its process {} ended before component \"{}\" was ready",
                    rank, process.number, run_.assignment.components[c])};
  }
  return std::nullopt;
}

std::string ended_with(const base::Fault& fault) { return "it ended with: " + fault.message; }

std::vector<Sending> send_farewell(comm::Communicator& world, const std::vector<int>& ranks,
                                   const AbortNotice& abort_notice, Tag tag) {
  base::ByteWriter writer;
  writer.put(static_cast<std::int32_t>(abort_notice.rank));
  writer.put_text(abort_notice.why);
  const auto bytes = std::make_shared<const std::vector<std::byte>>(writer.take());
  std::vector<Sending> sendings;
  for (const int rank : ranks) sendings.emplace_back(world, bytes, rank, static_cast<int>(tag));
  return sendings;
}

void send_abort_notice(comm::Communicator& world, std::vector<int> ranks, const AbortNotice& abort_notice) {
  std::erase(ranks, world.rank());
  std::vector<Sending> sendings = send_farewell(world, ranks, abort_notice, Tag::abort_notice);
  const double end = env::steady_seconds() + farewell_seconds;
  while (env::steady_seconds() < end &&
         !std::all_of(sendings.begin(), sendings.end(), [](Sending& sending) { return sending.done(); }))
    nap();
}

std::optional<AbortNotice> hear_farewell(comm::Communicator& world, Tag tag) {
  const auto incoming = world.probe(comm::any, static_cast<int>(tag));
  if (!incoming) return std::nullopt;
  const auto message = poll(world, incoming->source, incoming->tag);
  base::ByteReader reader(*message);
  const auto rank = reader.get<std::int32_t>();
  return AbortNotice{rank, reader.get_text()};
}

}  // namespace tailrace::handshake
