#include "handshake/failure_detection/ping.hpp"

#include "env/clock.hpp"
#include "handshake/connection.hpp"
#include "messaging/sending.hpp"

namespace tailrace::handshake {
namespace {

constexpr double seconds_between_pings = 1.0;  // seconds

}  // namespace

bool Ping::open() {
  if (open_ && messaging::poll(world_, rank_, static_cast<int>(Tag::pong))) open_ = false;
  return open_;
}

void Ping::ask() {
  const double now = env::steady_seconds();
  if (open() || now < pinged_at_ + seconds_between_pings) return;
  sending_.clear();
  sending_.emplace_back(world_, std::vector<std::byte>{}, rank_, static_cast<int>(Tag::ping));
  pinged_at_ = now;
  open_ = true;
}

double Ping::silence() { return open() ? env::steady_seconds() - pinged_at_ : 0.0; }

void PingResponder::answer() {
  std::erase_if(sendings_, [](messaging::Sending& sending) { return sending.done(); });
  while (const auto asked = world_.probe(comm::any, static_cast<int>(Tag::ping))) {
    messaging::poll(world_, asked->source, asked->tag);
    sendings_.emplace_back(world_, std::vector<std::byte>{}, asked->source, static_cast<int>(Tag::pong));
  }
}

void discard_late_pings(comm::Communicator& world) {
  for (const Tag tag : {Tag::ping, Tag::pong})
    while (const auto late = world.probe(comm::any, static_cast<int>(tag)))
      messaging::poll(world, late->source, late->tag);
}

}  // namespace tailrace::handshake
