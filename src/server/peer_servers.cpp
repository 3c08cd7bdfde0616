#include "server/peer_servers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "base/log.hpp"
#include "env/clock.hpp"
#include "handshake/connection.hpp"
#include "messaging/sending.hpp"

namespace tailrace::server {
namespace {

// The kind of messages that belong to no component.
constexpr std::int32_t lost_kind = -2;
constexpr double farewell_seconds = 1.5;
constexpr double hearing_seconds = 0.1;  // between two polls for messages that are rare

void tell_all(messaging::Messenger& messenger, int lost, const std::string& why) {
  base::ByteWriter writer;
  writer.put(static_cast<std::int32_t>(lost));
  writer.put_text(why);
  const messaging::Bytes message = writer.take();
  for (int server = 0; server < messenger.size(); ++server)
    if (server != messenger.rank() && server != lost)
      messenger.send(server, lost_kind, messaging::Bytes(message));
}

void tell_fellows(comm::Communicator& servers, const base::Fault& fault) {
  messaging::Messenger messenger(servers);
  tell_all(messenger, messenger.rank(), handshake::ended_with(fault));
  const double end = env::steady_seconds() + farewell_seconds;
  while (messenger.bytes_in_flight() > 0 && env::steady_seconds() < end) {
    messenger.progress();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

}  // namespace

PeerServers::PeerServers(const handshake::Run& run, comm::Communicator& world,
                         messaging::Messenger& messenger, handshake::Lifelines lifelines)
    : messenger_(messenger),
      run_(run),
      world_(world),
      model_goes_on_(run.servers().on_server_loss == settings::OnServerLoss::go_on),
      failed_servers_(run, world.rank()),
      watched_(std::move(lifelines.watched)),
      answers_(world) {
  for (int server = 0; server < messenger.size(); ++server) {
    if (server == messenger.rank() || failed_servers_.is_local(server)) continue;
    far_servers_.push_back(server);
    far_.emplace_back(world, run.assignment.servers[base::index(server)]);
  }
  messenger.on(lost_kind, [this](int, messaging::Bytes&& message) {
    base::ByteReader reader(message);
    const auto lost = reader.get<std::int32_t>();
    if (lost < 0 || lost >= messenger_.size() || lost == messenger_.rank()) return;
    failed_servers_.mark_failed(lost, reader.get_text());
    heard_.push_back(lost);
  });
  for (handshake::LifelineTo& line : lifelines.lines) failed_servers_.watch(std::move(line));
}

void PeerServers::pass_on(int lost) {
  if (!model_goes_on_ && is_first_left()) base::log_error(failed_servers_.fault(lost).message);
  tell_all(messenger_, lost, failed_servers_.why(lost));
  std::vector<int> clients;
  const auto add_clients_of = [&](int server) {
    for (const auto& [first, end] : run_.assignment.server_of.stretches_of(server))
      for (std::size_t rank = first; rank < end; ++rank) clients.push_back(static_cast<int>(rank));
  };
  add_clients_of(messenger_.rank());
  if (is_first_left()) add_clients_of(lost);
  const int rank = run_.assignment.servers[base::index(lost)];
  for (auto& sending : handshake::start_abort_notice(world_, clients, {rank, failed_servers_.why(lost)},
                                                     handshake::Tag::abort_notice))
    sendings_.push_back(std::move(sending));
}

bool PeerServers::is_first_left() const {
  for (int server = 0; server < messenger_.rank(); ++server)
    if (!failed_servers_.has_failed(server)) return false;
  return true;
}

// A client of a server on another node sees that its process ended.
void PeerServers::hear_clients() {
  if (env::steady_seconds() < next_hearing_) return;
  next_hearing_ = env::steady_seconds() + hearing_seconds;
  std::erase_if(sendings_, [](messaging::Sending& sending) { return sending.done(); });
  answers_.answer();
  while (const auto heard = handshake::receive_abort_notice(world_, handshake::Tag::server_failed)) {
    const auto server = run_.assignment.servers.find(heard->rank);
    if (!server || heard->rank == world_.rank()) continue;
    failed_servers_.mark_failed(static_cast<int>(*server), heard->why);
    heard_.push_back(static_cast<int>(*server));
  }
}

// As FailureDetector does.
void PeerServers::judge_silence() {
  for (std::size_t i = 0; i < far_.size(); ++i) {
    const int server = far_servers_[i];
    if (failed_servers_.has_failed(server) || !failed_servers_.is_silent(server)) continue;
    far_[i].ask();
    if (far_[i].silence() < handshake::seconds_of_silence) continue;
    failed_servers_.mark_failed(server, handshake::node_lost);
    heard_.push_back(server);
  }
}

std::vector<int> PeerServers::newly_lost() {
  hear_clients();
  if (watched_) watched_->accept();
  std::vector<int> lost = failed_servers_.check();
  judge_silence();
  for (const int server : std::exchange(heard_, {})) lost.push_back(server);
  return lost;
}

std::string PeerServers::describe() {
  std::string text;
  for (int server = 0; server < messenger_.size(); ++server)
    if (failed_servers_.is_stopped(server))
      text += fmt::format("\n    {} is stopped by a signal", failed_servers_.name(server));
  for (std::size_t i = 0; i < far_.size(); ++i) {
    if (failed_servers_.has_failed(far_servers_[i])) continue;
    if (const double silence = far_[i].silence(); silence > 0.0)
      text += fmt::format("\n    {} has not answered for {:.0f} s", failed_servers_.name(far_servers_[i]),
                          silence);
    far_[i].ask();
  }
  return text;
}

void send_abort_notice(handshake::Started& started, const base::Fault& fault) {
  try {
    std::vector<int> models;
    for (const handshake::StridedRuns& ranks : started.run.assignment.ranks)
      models.insert(models.end(), ranks.begin(), ranks.end());
    handshake::send_abort_notice(*started.world, models,
                                 {started.world->rank(), handshake::ended_with(fault)});
    tell_fellows(*started.servers, fault);
  } catch (const std::exception& error) {  // the fault itself matters more
    base::log_error(error.what());
  }
}

}  // namespace tailrace::server
