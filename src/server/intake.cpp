#include "server/intake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "env/clock.hpp"
#include "env/delays.hpp"
#include "env/faults.hpp"
#include "telemetry/timer.hpp"

namespace tailrace::server {
namespace {

// A dead process is noticed within this time. Each check costs one system call per client.
constexpr double look_seconds = 0.25;

// Handing over a piece of work and learning of its end wakes one or two threads, which costs many times the
// processing of a small packet. So small packets that wait together are handed over together, up to a size
// that keeps all workers busy.
constexpr std::size_t small_bytes = std::size_t{16} << 10;
constexpr std::size_t most_packets = 512;
constexpr std::size_t most_bytes = std::size_t{256} << 10;
constexpr std::size_t least_packets = 64;  // of a piece, when a run is split
// A run waits for more packets only while less than this part of the buffer is used, and only briefly: the
// data of a step should be in the files before the model completes the next one.
constexpr std::size_t room_kept = 4;
constexpr double patience_seconds = 1e-3;

}  // namespace

Intake::Intake(std::string component, std::vector<Link> links, const IntakeServices& services)
    : component_(std::move(component)),
      executor_(services.executor),
      receiver_(services.receiver),
      counters_(services.counters),
      trace_(services.trace),
      finished_(links.empty()) {
  for (Link& link : links)
    clients_.push_back({std::move(link), State::running, {}, false, {}, 0, 0.0, false});
}

Intake::~Intake() {
  for (Client& client : clients_) submit(client);
  while (in_work_.load(std::memory_order_acquire) > 0) std::this_thread::yield();
}

bool Intake::progress() {
  if (finished_) return false;
  moved_ = false;
  for (Client& client : clients_) moved_ = (halted_ ? submit(client) : drain(client)) || moved_;
  moved_ = (!halted_ && advance()) || moved_;
  if (env::steady_seconds() >= next_look_) look_for_the_dead();
  return moved_;
}

// A run that costs less than its hand-over is kept for a moment: until the client completes its step, or
// until the client may need the space. Each piece of work that ends rings the doorbell, and then the run is
// checked again.
bool Intake::drain(Client& client) {
  std::optional<telemetry::PhaseTimer> timer;
  std::uint64_t packets = 0, bytes = 0;
  while (client.state == State::running) {
    const std::size_t before = client.run.size();
    if (before == 0) client.run_begin = env::steady_seconds();
    client.link.source->take(client.run, most_packets - before, most_bytes);
    if (client.run.size() == before) break;
    if (!timer) timer.emplace(counters_, telemetry::Phase::receive, trace_);
    packets += client.run.size() - before;
    for (std::size_t i = before; i < client.run.size(); ++i) bytes += client.run[i].payload.size();
    sort_out(client, before);
  }
  const bool submitted = due(client) && submit(client);
  if (packets == 0) return submitted;
  counters_.packets_in.add(packets);
  counters_.bytes_in.add(bytes);
  step_bytes_ += bytes;
  return true;
}

bool Intake::due(const Client& client) const {
  if (client.run.empty() || client.state != State::running || executor_.does_light_work_at_once())
    return true;
  const bool idle = in_work_.load(std::memory_order_acquire) < executor_.threads();
  const transport::PacketSource& source = *client.link.source;
  return idle && (source.bytes_under_way() >= source.capacity() / room_kept ||
                  env::steady_seconds() >= client.run_begin + patience_seconds);
}

bool Intake::started() const {
  return std::ranges::any_of(clients_, [](const Client& client) { return client.started; });
}

bool Intake::announced() const {
  return std::none_of(clients_.begin(), clients_.end(), [](const Client& client) {
    return !client.run.empty() || client.link.source->needs_polling();
  });
}

// Processes the packets from `first` on. Small blocks stay in the run of the client.
void Intake::sort_out(Client& client, std::size_t first) {
  std::size_t kept = first;
  std::optional<transport::Packet> word;  // the last packet, if it is not a block
  for (std::size_t i = first; i < client.run.size(); ++i) {
    const transport::Packet& packet = client.run[i];
    if (!model::is_block(packet.header.kind)) {
      word = packet;
    } else if (discarding_) {
      client.link.source->release(packet.sequence);
    } else if (packet.payload.size() >= small_bytes) {
      hand_over(client, std::make_shared<const Packets>(1, packet), 0, 1);
    } else {
      client.run_bytes += packet.payload.size();
      if (kept != i) client.run[kept] = packet;
      ++kept;
    }
  }
  client.run.resize(kept);
  if (client.run.size() == most_packets || client.run_bytes >= most_bytes) submit(client);
  if (word) take(client, *word);
}

void Intake::take(Client& client, const transport::Packet& packet) {
  switch (packet.header.kind) {
    case model::PacketKind::block:
    case model::PacketKind::kept:
    case model::PacketKind::block_and_kept: break;
    case model::PacketKind::checkpoint:
      if (discarding_) break;
      client.state = State::at_checkpoint;
      if (!packet.payload.empty()) checkpoint_values_.assign(packet.payload.begin(), packet.payload.end());
      break;
    case model::PacketKind::file:
      if (discarding_) break;
      client.state = State::at_file;
      client.opens = packet.header.number == model::file_opened;
      if (!packet.payload.empty()) opened_files_.assign(packet.payload.begin(), packet.payload.end());
      break;
    case model::PacketKind::tick:
      client.tick = {packet.header.step, packet.header.time};
      client.started = true;
      client.runs_on = packet.header.number == model::runs_on;
      if (!discarding_) client.state = State::at_tick;
      break;
    case model::PacketKind::finish:
      if (!packet.payload.empty())
        client_counters_.emplace_back(packet.payload.begin(), packet.payload.end());
      client.state = State::finished;
      break;
    case model::PacketKind::abandon:
      client.link.source->release(packet.sequence);
      return lose(client, "left without finish");
    case model::PacketKind::input_record:
    case model::PacketKind::input_fault:
    case model::PacketKind::input_timeline: TAILRACE_ASSERT(false, "a client sends no records of input");
  }
  client.link.source->release(packet.sequence);
}

bool Intake::submit(Client& client) {
  if (client.run.empty()) return false;
  const auto run = std::make_shared<const Packets>(std::exchange(client.run, {}));
  client.run.reserve(run->size() + 1);  // the next step's is as long, most likely, and its word comes behind
  client.run_bytes = 0;
  const std::size_t workers = static_cast<std::size_t>(std::max(1, executor_.threads()));
  const std::size_t pieces = std::clamp<std::size_t>(run->size() / least_packets, 1, workers);
  for (std::size_t i = 0; i < pieces; ++i)
    hand_over(client, run, run->size() * i / pieces, run->size() * (i + 1) / pieces);
  return true;
}

void Intake::hand_over(Client& client, std::shared_ptr<const Packets> packets, std::size_t begin,
                       std::size_t end) {
  const bool small = (*packets)[begin].payload.size() < small_bytes;
  in_work_.fetch_add(1, std::memory_order_relaxed);
  auto work = [this, source = client.link.source.get(), number = client.link.client,
               packets = std::move(packets), begin, end] {
    const struct Done {  // also when the work throws
      std::atomic<int>& in_work;
      ~Done() { in_work.fetch_sub(1, std::memory_order_release); }
    } done{in_work_};
    work_on(number, *source, std::span(*packets).subspan(begin, end - begin));
  };
  executor_.submit(std::move(work), small);
}

// If one packet throws, the others are accepted all the same.
void Intake::work_on(int client, transport::PacketSource& source,
                     std::span<const transport::Packet> packets) {
  std::exception_ptr failure;
  {
    const telemetry::PhaseTimer timer(counters_, telemetry::Phase::accumulate, trace_);
    for (const transport::Packet& packet : packets) {
      env::maybe_delay("accept");
      try {
        receiver_.accept(client, packet.header, packet.payload);
      } catch (...) {
        if (!failure) failure = std::current_exception();
      }
    }
  }
  source.release(packets);
  if (failure) std::rethrow_exception(failure);
}

bool Intake::all(State a, State b) const {
  return std::all_of(clients_.begin(), clients_.end(),
                     [&](const Client& client) { return client.state == a || client.state == b; });
}

bool Intake::advance() {
  if (in_work_.load(std::memory_order_acquire) > 0) return false;
  const bool cannot_end = losses_expected_ && !discarding_ && !all(State::finished, State::finished);
  if (all(State::finished, State::gone)) {
    if (cannot_end) return false;
    env::maybe_fail("finish");
    finished_ = true;
    if (!discarding_) receiver_.end_of_input();
    return true;
  }
  if (discarding_) {
    for (Client& client : clients_)
      if (client.state == State::at_tick) client.state = State::running;
    return false;
  }
  if (std::ranges::any_of(clients_, [](const Client& c) { return c.state == State::at_file; }))
    return advance_files();
  if (std::ranges::any_of(clients_, [](const Client& c) { return c.state == State::at_checkpoint; }))
    return advance_checkpoint();
  if (!all(State::at_tick, State::finished)) return false;
  const auto ahead = std::find_if(clients_.begin(), clients_.end(),
                                  [](const Client& c) { return c.state == State::at_tick; });
  for (const Client& client : clients_) {
    const bool over = client.state == State::finished;
    if (!over && client.tick.step == ahead->tick.step && client.tick.time == ahead->tick.time) continue;
    receiver_.fail(
        {ErrorCode::usage,
         over ? fmt::format("component \"{}\": rank {} has finished, but rank {} continues with step {}",
                            component_, client.link.client, ahead->link.client, ahead->tick.step)
              : fmt::format(
                    "component \"{}\": rank {} is at step {} ({} s), but rank {} at step {} ({} s); all "
                    "ranks must give the same steps and times",
                    component_, ahead->link.client, ahead->tick.step, ahead->tick.time, client.link.client,
                    client.tick.step, client.tick.time)});
    return true;
  }
  if (!receiver_.ready_for_step()) return false;
  last_tick_ = tick_;
  tick_ = ahead->tick;
  env::maybe_fail("running");
  receiver_.begin_step(tick_);
  most_step_bytes_ = most_step_bytes();
  step_bytes_ = 0;
  for (Client& client : clients_) client.state = State::running;
  return true;
}

bool Intake::advance_checkpoint() {
  if (std::ranges::any_of(clients_, [](const Client& c) { return c.state == State::running; })) return false;
  if (!all(State::at_checkpoint, State::at_checkpoint)) {
    const auto asks = std::ranges::find(clients_, State::at_checkpoint, &Client::state);
    const auto other =
        std::ranges::find_if(clients_, [](const Client& c) { return c.state != State::at_checkpoint; });
    if (other->state == State::gone) return false;
    receiver_.fail(
        {ErrorCode::usage,
         fmt::format("component \"{}\": rank {} called checkpoint at step {}, but rank {} did not; "
                     "expected the call on all ranks at the same step",
                     component_, asks->link.client, tick_.step, other->link.client)});
    return true;
  }
  if (!std::exchange(in_checkpoint_, true)) {
    receiver_.checkpoint(std::exchange(checkpoint_values_, {}));
    return true;
  }
  if (!receiver_.is_saved()) return false;
  in_checkpoint_ = false;
  for (Client& client : clients_) client.state = State::running;
  return true;
}

bool Intake::advance_files() {
  if (std::ranges::any_of(clients_, [](const Client& c) { return c.state == State::running; })) return false;
  const auto ahead = std::ranges::find(clients_, State::at_file, &Client::state);
  const auto other = std::ranges::find_if(clients_, [&](const Client& client) {
    return client.state != State::at_file || client.opens != ahead->opens;
  });
  if (other == clients_.end()) {
    for (Client& client : clients_) client.state = State::running;
    receiver_.change_files(ahead->opens, std::exchange(opened_files_, {}));
    return true;
  }
  if (other->state == State::gone) return false;
  receiver_.fail(
      {ErrorCode::usage,
       fmt::format("component \"{}\": rank {} called {} after step {}, but rank {} did not; expected "
                   "the call on all ranks at the same step",
                   component_, ahead->link.client, ahead->opens ? "open_file" : "close_file", tick_.step,
                   other->link.client)});
  return true;
}

void Intake::lose(Client& client, const std::string& why) {
  submit(client);
  client.state = State::gone;
  if (losses_expected_) return;
  const std::string where = client.started
                                ? fmt::format("after step {} ({} s)", client.tick.step, client.tick.time)
                                : "before its first step";
  receiver_.fail({ErrorCode::lost,
                  fmt::format("component \"{}\": rank {} {} {}; what was complete until then is in the files",
                              component_, client.link.client, why, where)});
}

bool Intake::waits(State state) {
  return state == State::at_tick || state == State::at_checkpoint || state == State::at_file;
}

void Intake::look_for_the_dead() {
  next_look_ = env::steady_seconds() + (losses_expected_ ? 0.1 * look_seconds : look_seconds);
  for (Client& client : clients_) {
    if (client.state == State::finished || client.state == State::gone) continue;
    if (client.link.source->alive() && !transport::gone(client.link.process)) continue;
    if (losses_expected_ && waits(client.state)) {
      // its buffer may hold more packets
      client.missed = true;
      continue;
    }
    if (drain(client) || client.state == State::finished || client.state == State::gone) continue;
    // A signal that ends the whole job may reach this process a moment later. Then the loss is not a fault.
    if (losses_expected_ || std::exchange(client.missed, true)) lose(client, "is gone (its process ended)");
  }
}

void Intake::expect_losses() {
  losses_expected_ = true;
  next_look_ = 0.0;
  for (Client& client : clients_)
    if (client.state != State::gone) client.link.source->request_stop();
}

const model::Tick& Intake::first_tick() const {
  const auto ahead = std::ranges::find_if(clients_, [this](const Client& client) {
    return client.state == State::at_tick && client.tick.step > tick_.step;
  });
  return ahead == clients_.end() ? tick_ : ahead->tick;
}

bool Intake::has_lost() const {
  return std::any_of(clients_.begin(), clients_.end(),
                     [](const Client& client) { return client.missed || client.state == State::gone; });
}

bool Intake::runs_on() const { return std::ranges::any_of(clients_, &Client::runs_on); }

bool Intake::stands_still() const {
  const bool has_more = !halted_ && (moved_ || step_is_complete());
  return !has_more && in_work_.load(std::memory_order_acquire) == 0 &&
         std::all_of(clients_.begin(), clients_.end(),
                     [](const Client& client) { return client.run.empty(); });
}

void Intake::discard() {
  discarding_ = true;
  halted_ = false;
  for (Client& client : clients_) submit(client);
  for (Client& client : clients_)
    if (waits(client.state)) client.state = State::running;
}

void Intake::raise(const base::Fault& fault) {
  for (Client& client : clients_)
    if (client.state != State::gone) client.link.source->raise(fault);
}

void Intake::say_written(std::int64_t step) {
  for (Client& client : clients_)
    if (client.state != State::gone && client.state != State::finished) client.link.source->say_written(step);
}

void Intake::close() {
  for (Client& client : clients_)
    if (client.state == State::finished) client.link.source->close();
}

double Intake::buffer_used() const {
  double used = 0.0;
  for (const Client& client : clients_) {
    const double capacity = static_cast<double>(client.link.source->capacity());
    if (capacity > 0)
      used = std::max(used, static_cast<double>(client.link.source->bytes_under_way()) / capacity);
  }
  return used;
}

std::size_t Intake::most_step_bytes() const { return std::max(most_step_bytes_, step_bytes_); }

std::string Intake::describe() const {
  std::string text;
  for (const Client& client : clients_) {
    const char* state = client.state == State::running         ? "its next packet is awaited"
                        : client.state == State::at_tick       ? "waits for the others"
                        : client.state == State::at_checkpoint ? "waits for the checkpoint"
                        : client.state == State::at_file       ? "waits for the others, which open a file"
                        : client.state == State::finished      ? "has finished"
                                                               : "is gone";
    text += fmt::format(
        "\n    rank {} of component \"{}\": {}{}", client.link.client, component_,
        client.started ? fmt::format("at step {}, ", client.tick.step) : "before its first step, ", state);
  }
  return text;
}

}  // namespace tailrace::server
