#include "host/fellows.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>

#include "base/log.hpp"
#include "env/clock.hpp"
#include "handshake/connection.hpp"

namespace tailrace::host {
namespace {

constexpr std::int32_t lost_kind = -2;  // of messages that belong to no component
constexpr double farewell_seconds = 1.5;

void tell_fellows(comm::Communicator& servers, const base::Fault& fault) {
  messaging::Messenger messenger(servers);
  base::ByteWriter writer;
  handshake::put_fault(writer, fault);
  const messaging::Bytes message = writer.take();
  for (int server = 0; server < messenger.size(); ++server)
    if (server != messenger.rank()) messenger.send(server, lost_kind, messaging::Bytes(message));
  const double end = env::steady_seconds() + farewell_seconds;
  while (messenger.bytes_in_flight() > 0 && env::steady_seconds() < end) {
    messenger.progress();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

}  // namespace

Fellows::Fellows(const handshake::Run& run, int rank, messaging::Messenger& messenger)
    : losses_(run, rank), servers_(messenger.size()) {
  messenger.on(lost_kind, [this](int from, messaging::Bytes&& message) {
    base::ByteReader reader(message);
    if (const auto fault = handshake::get_fault(reader)) losses_.note(from, fault->message);
    heard_.push_back(from);
  });
}

std::vector<int> Fellows::newly_lost() {
  std::vector<int> lost = losses_.look();
  for (const int server : std::exchange(heard_, {})) lost.push_back(server);
  return lost;
}

std::string Fellows::describe() const {
  std::string text;
  for (int server = 0; server < servers_; ++server)
    if (losses_.is_stopped(server))
      text += fmt::format("\n    {} is stopped by a signal", losses_.name(server));
  return text;
}

void say_farewell(handshake::Started& started, const base::Fault& fault) {
  try {
    std::vector<int> models;
    for (const std::vector<int>& ranks : started.run.assignment.ranks)
      models.insert(models.end(), ranks.begin(), ranks.end());
    handshake::say_farewell(*started.world, models, fault);
    tell_fellows(*started.servers, fault);
  } catch (const std::exception& error) {  // the fault itself matters more
    base::log_error(error.what());
  }
}

}  // namespace tailrace::host
