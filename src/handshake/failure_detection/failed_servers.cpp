#include "handshake/failure_detection/failed_servers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "env/clock.hpp"
#include "handshake/connection.hpp"
#include "messaging/sending.hpp"

namespace tailrace::handshake {
namespace {

constexpr double check_seconds = 0.25;
constexpr double notice_seconds = 1.5;

void nap() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

}  // namespace

FailedServers::FailedServers(const Run& run, int rank)
    : run_(run), rank_(rank), why_(run.assignment.servers.size()) {
  const StridedRuns& servers = run_.assignment.servers;
  const int own_node = run_.nodes[base::index(rank_)];
  for (const auto& [first, end] : run_.nodes.stretches_of(own_node))
    for (std::size_t one = first; one < end; ++one)
      if (const auto server = servers.find(static_cast<int>(one)); server && static_cast<int>(one) != rank_)
        local_.push_back(static_cast<int>(*server));
}

transport::ProcessId FailedServers::process_of(int server) const {
  const auto known = run_.processes.find(run_.assignment.servers[base::index(server)]);
  return known == run_.processes.end() ? transport::ProcessId{} : known->second;
}

std::vector<int> FailedServers::check() {
  std::vector<int> found;
  const double now = env::steady_seconds();
  if (now < next_check_) return found;
  const auto find = [&](int server) {
    if (has_failed(server)) return;
    mark_failed(server, process_ended);
    found.push_back(server);
  };
  for (const int server : local_)
    if (!has_failed(server) && transport::gone(process_of(server))) find(server);
  for (LifelineTo& line : lines_)
    if (line.line.look() == env::Lifeline::State::cut) find(line.server);
  next_check_ = now + check_seconds;
  return found;
}

void FailedServers::watch(LifelineTo line) {
  lines_.push_back(std::move(line));
  next_check_ = 0.0;
}

bool FailedServers::is_silent(int server) const {
  return std::ranges::any_of(lines_, [server](const LifelineTo& one) {
    return one.server == server && one.line.state() == env::Lifeline::State::silent;
  });
}

bool FailedServers::is_watched(int server) const {
  return is_local(server) || std::ranges::any_of(lines_, [server](const LifelineTo& one) {
           return one.server == server && one.line.state() != env::Lifeline::State::unknown;
         });
}

void FailedServers::mark_failed(int server, const std::string& why) {
  auto& place = why_[base::index(server)];
  if (place && *place != process_ended) return;
  if (!place) ++count_;
  place = why;
}

std::string FailedServers::name(int server) const {
  const int rank = run_.assignment.servers[base::index(server)];
  const std::int32_t process = process_of(server).number;
  return process == 0 ? fmt::format("server {} (rank {} of the run)", server, rank)
                      : fmt::format("server {} (rank {} of the run, process {})", server, rank, process);
}

std::string FailedServers::describe(int server) const {
  return fmt::format("{} is gone: {}", name(server), why(server));
}

base::Fault FailedServers::fault(int server) const {
  return {ErrorCode::lost, describe(server) + "; what was committed until then is in the files"};
}

bool FailedServers::is_local(int server) const {
  return std::find(local_.begin(), local_.end(), server) != local_.end();
}

bool FailedServers::is_stopped(int server) const {
  return is_local(server) && transport::stopped(process_of(server));
}

std::vector<int> FailedServers::stopped_servers_except(int server) const {
  std::vector<int> stopped;
  for (const int other : local_)
    if (other != server && is_stopped(other)) stopped.push_back(other);
  return stopped;
}

std::optional<int> FailedServers::first_failed_other_than(int server) const {
  for (std::size_t other = 0; other < why_.size(); ++other)
    if (why_[other] && static_cast<int>(other) != server) return static_cast<int>(other);
  return std::nullopt;
}

transport::ProcessId local_process(const Run& run, int rank, int other) {
  const bool near = run.nodes[base::index(rank)] == run.nodes[base::index(other)];
  const auto known = near ? run.processes.find(other) : run.processes.end();
  return known == run.processes.end() ? transport::ProcessId{} : known->second;
}

std::optional<base::Fault> FailedServers::find_dead_rank(int component) {
  const auto c = base::index(component);
  const double now = env::steady_seconds();
  next_check_of_ranks_.resize(run_.assignment.ranks.size());
  if (now < next_check_of_ranks_[c]) return std::nullopt;
  next_check_of_ranks_[c] = now + check_seconds;
  for (const auto& [rank, process] : run_.processes) {
    if (run_.assignment.component_of[base::index(rank)] != component) continue;
    if (local_process(run_, rank_, rank).number == 0 || !transport::gone(process)) continue;
    return base::Fault{
        ErrorCode::lost,
        fmt::format("rank {} of the run is gone: its process {} ended before component \"{}\" was ready",
                    rank, process.number, run_.assignment.components[c])};
  }
  return std::nullopt;
}

std::string ended_with(const base::Fault& fault) { return "it ended with: " + fault.message; }

std::vector<messaging::Sending> start_abort_notice(comm::Communicator& world, const std::vector<int>& ranks,
                                                   const AbortNotice& abort_notice, Tag tag) {
  base::ByteWriter writer;
  writer.put(static_cast<std::int32_t>(abort_notice.rank));
  writer.put_text(abort_notice.why);
  std::vector<messaging::Sending> sendings;
  messaging::start_sending(world, writer.take(), ranks, static_cast<int>(tag), sendings);
  return sendings;
}

void send_abort_notice(comm::Communicator& world, std::vector<int> ranks, const AbortNotice& abort_notice) {
  std::erase(ranks, world.rank());
  std::vector<messaging::Sending> sendings =
      start_abort_notice(world, ranks, abort_notice, Tag::abort_notice);
  const double end = env::steady_seconds() + notice_seconds;
  while (env::steady_seconds() < end &&
         !std::all_of(sendings.begin(), sendings.end(),
                      [](messaging::Sending& sending) { return sending.done(); }))
    nap();
}

std::optional<AbortNotice> receive_abort_notice(comm::Communicator& world, Tag tag) {
  const auto incoming = world.probe(comm::any, static_cast<int>(tag));
  if (!incoming) return std::nullopt;
  const auto message = messaging::poll(world, incoming->source, incoming->tag);
  base::ByteReader reader(*message);
  const auto rank = reader.get<std::int32_t>();
  return AbortNotice{rank, reader.get_text()};
}

}  // namespace tailrace::handshake
