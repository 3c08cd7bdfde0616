#include "server/intake.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "env/clock.hpp"
#include "env/delays.hpp"
#include "telemetry/timer.hpp"

namespace tailrace::server {
namespace {

// A process that died is noticed within this time; asking costs a system call a client.
constexpr double look_seconds = 0.25;

}  // namespace

Intake::Intake(std::string component, std::vector<Link> links, Executor& executor, Pipeline& pipeline,
               telemetry::ServerCounters& counters, telemetry::Trace* trace)
    : component_(std::move(component)),
      executor_(executor),
      pipeline_(pipeline),
      counters_(counters),
      trace_(trace),
      finished_(links.empty()) {
  for (Link& link : links) clients_.push_back({std::move(link), State::running, {}, false});
}

Intake::~Intake() {
  while (in_work_.load(std::memory_order_acquire) > 0) std::this_thread::yield();
}

bool Intake::progress() {
  if (finished_) return false;
  bool moved = false;
  for (Client& client : clients_) moved = drain(client) || moved;
  moved = advance() || moved;
  if (env::steady_seconds() >= next_look_) look_for_the_dead();
  return moved;
}

bool Intake::drain(Client& client) {
  bool moved = false;
  while (client.state == State::running) {
    const auto record = client.link.consumer->next();
    if (!record) break;
    take(client, *record);
    moved = true;
  }
  return moved;
}

void Intake::take(Client& client, const transport::Record& record) {
  const telemetry::PhaseTimer timer(counters_, telemetry::Phase::receive, trace_);
  counters_.records_in.add();
  counters_.bytes_in.add(record.payload.size());
  switch (record.header.kind) {
    case model::RecordKind::block:
      if (!discarding_) return submit_block(client, record);
      break;
    case model::RecordKind::tick:
      client.tick = {record.header.step, record.header.time};
      client.started = true;
      if (!discarding_) client.state = State::at_tick;
      break;
    case model::RecordKind::finish:
      client_counters_.emplace_back(record.payload.begin(), record.payload.end());
      client.state = State::finished;
      break;
    case model::RecordKind::abandon:
      client.link.consumer->release(record.sequence);
      return lose(client, "left without finish");
  }
  client.link.consumer->release(record.sequence);
}

void Intake::submit_block(Client& client, const transport::Record& record) {
  in_work_.fetch_add(1, std::memory_order_relaxed);
  transport::Consumer* consumer = client.link.consumer.get();
  executor_.submit([this, consumer, record, number = client.link.client] {
    struct Done {  // also when the work throws
      Intake& intake;
      transport::Consumer& consumer;
      std::uint64_t sequence;
      ~Done() {
        consumer.release(sequence);
        intake.in_work_.fetch_sub(1, std::memory_order_release);
      }
    } const done{*this, *consumer, record.sequence};
    env::maybe_delay("accept");
    const telemetry::PhaseTimer timer(counters_, telemetry::Phase::accumulate, trace_);
    pipeline_.accept(number, record.header, record.payload);
  });
}

bool Intake::all(State a, State b) const {
  return std::all_of(clients_.begin(), clients_.end(),
                     [&](const Client& client) { return client.state == a || client.state == b; });
}

bool Intake::advance() {
  if (in_work_.load(std::memory_order_acquire) > 0) return false;
  if (all(State::finished, State::gone)) {
    finished_ = true;
    if (!discarding_) pipeline_.end_of_input();
    return true;
  }
  if (discarding_) {
    for (Client& client : clients_)
      if (client.state == State::at_tick) client.state = State::running;
    return false;
  }
  if (!all(State::at_tick, State::finished)) return false;
  const auto ahead = std::find_if(clients_.begin(), clients_.end(),
                                  [](const Client& c) { return c.state == State::at_tick; });
  for (const Client& client : clients_) {
    const bool over = client.state == State::finished;
    if (!over && client.tick.step == ahead->tick.step && client.tick.time == ahead->tick.time) continue;
    pipeline_.fail(
        {ErrorCode::usage,
         over ? fmt::format("component \"{}\": rank {} has finished, but rank {} goes on to step {}",
                            component_, client.link.client, ahead->link.client, ahead->tick.step)
              : fmt::format(
                    "component \"{}\": rank {} is at step {} ({} s), but rank {} at step {} ({} s); all "
                    "ranks must give the same steps and times",
                    component_, ahead->link.client, ahead->tick.step, ahead->tick.time, client.link.client,
                    client.tick.step, client.tick.time)});
    return true;
  }
  if (!pipeline_.ready_for_step()) return false;
  last_step_ = tick_.step;
  tick_ = ahead->tick;
  pipeline_.begin_step(tick_);
  for (Client& client : clients_) client.state = State::running;
  return true;
}

void Intake::lose(Client& client, const std::string& why) {
  client.state = State::gone;
  const std::string where = client.started
                                ? fmt::format("after step {} ({} s)", client.tick.step, client.tick.time)
                                : "before its first step";
  pipeline_.fail({ErrorCode::lost,
                  fmt::format("component \"{}\": rank {} {} {}; what was complete until then is in the files",
                              component_, client.link.client, why, where)});
}

void Intake::look_for_the_dead() {
  next_look_ = env::steady_seconds() + look_seconds;
  for (Client& client : clients_) {
    if (client.state == State::finished || client.state == State::gone) continue;
    if (client.link.consumer->alive()) continue;
    if (drain(client) || client.state == State::finished || client.state == State::gone) continue;
    lose(client, "is gone (its process ended)");
  }
}

void Intake::discard() {
  discarding_ = true;
  for (Client& client : clients_)
    if (client.state == State::at_tick) client.state = State::running;
}

void Intake::raise(const base::Fault& fault) {
  for (Client& client : clients_)
    if (client.state != State::gone) client.link.consumer->raise(fault);
}

double Intake::buffer_used() const {
  double used = 0.0;
  for (const Client& client : clients_) {
    const double capacity = static_cast<double>(client.link.consumer->capacity());
    if (capacity > 0)
      used = std::max(used, static_cast<double>(client.link.consumer->bytes_under_way()) / capacity);
  }
  return used;
}

std::string Intake::describe() const {
  std::string text;
  for (const Client& client : clients_) {
    const char* state = client.state == State::running    ? "its next record is awaited"
                        : client.state == State::at_tick  ? "waits for the others"
                        : client.state == State::finished ? "has finished"
                                                          : "is gone";
    text += fmt::format(
        "\n    rank {} of component \"{}\": {}{}", client.link.client, component_,
        client.started ? fmt::format("at step {}, ", client.tick.step) : "before its first step, ", state);
  }
  return text;
}

}  // namespace tailrace::server
