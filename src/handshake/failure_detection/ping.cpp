#include "handshake/failure_detection/ping.hpp"

#include "env/clock.hpp"

namespace tailrace::handshake {
namespace {

constexpr double between_questions = 1.0;  // seconds

}  // namespace

bool Ping::open() {
  if (open_ && poll(world_, rank_, static_cast<int>(Tag::answer))) open_ = false;
  return open_;
}

void Ping::ask() {
  const double now = env::steady_seconds();
  if (open() || now < asked_at_ + between_questions) return;
  question_.clear();
  question_.emplace_back(world_, std::vector<std::byte>{}, rank_, static_cast<int>(Tag::question));
  asked_at_ = now;
  open_ = true;
}

double Ping::silence() { return open() ? env::steady_seconds() - asked_at_ : 0.0; }

void PingResponder::give() {
  std::erase_if(sendings_, [](Sending& sending) { return sending.done(); });
  while (const auto asked = world_.probe(comm::any, static_cast<int>(Tag::question))) {
    poll(world_, asked->source, asked->tag);
    sendings_.emplace_back(world_, std::vector<std::byte>{}, asked->source, static_cast<int>(Tag::answer));
  }
}

void take_late_words(comm::Communicator& world) {
  for (const Tag tag : {Tag::question, Tag::answer})
    while (const auto late = world.probe(comm::any, static_cast<int>(tag)))
      poll(world, late->source, late->tag);
}

}  // namespace tailrace::handshake
