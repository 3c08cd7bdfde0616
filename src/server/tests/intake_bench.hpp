// Clients that a test plays, and what the intake makes of their packets.
#pragma once

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>

#include "server/executor.hpp"
#include "server/intake.hpp"
#include "transport/endpoints.hpp"

namespace tailrace::server {

using model::PacketKind;

struct Notes final : pipeline::StepReceiver {
  bool room = true;
  bool saved = false;
  bool throws = false;
  std::vector<std::string> events;  // on the communication thread
  std::vector<base::Fault> faults;
  std::mutex mutex;                 // guards blocks
  std::vector<std::string> blocks;  // client:field@step=payload
  Intake* intake = nullptr;

  bool ready_for_step() override { return room; }
  void begin_step(const model::Tick& tick) override { events.push_back("step " + std::to_string(tick.step)); }
  void accept(int client, const model::PacketHeader& header, std::span<const std::byte> payload) override {
    const std::string step = header.step == model::static_step ? "static" : std::to_string(header.step);
    const std::lock_guard lock(mutex);
    blocks.push_back(std::to_string(client) + ":" + std::to_string(header.number) + "@" + step + "=" +
                     std::to_string(std::to_integer<int>(payload[0])));
    if (throws) throw Error(ErrorCode::internal, "cannot");
  }
  void change_files(bool, std::span<const std::byte>) override {}
  void checkpoint(std::span<const std::byte> values) override {
    events.push_back("checkpoint with " + std::to_string(values.size()));
  }
  bool is_saved() override { return saved; }
  void end_of_input() override { events.push_back("end"); }
  void fail(const base::Fault& fault) override {  // as the session's does
    if (faults.empty()) intake->discard();
    faults.push_back(fault);
  }
};

struct Threads {
  int workers;  // as Executor takes them
  bool one_core = false;
};

struct Bench {
  std::unique_ptr<transport::Doorbell> doorbell = transport::make_heap_doorbell();
  Executor executor;
  telemetry::ServerCounters counters;
  Notes receiver;
  std::vector<std::unique_ptr<transport::Producer>> producers;
  std::unique_ptr<Intake> intake;

  // Clients 10, 11, ... of a component.
  explicit Bench(int clients, Threads threads = {0}, std::size_t buffer = 1 << 14)
      : executor(threads.workers, *doorbell, threads.one_core) {
    std::vector<Link> links;
    for (int i = 0; i < clients; ++i) {
      auto ends = transport::loopback::make({{.bytes = buffer}, {}}, *doorbell);
      producers.push_back(std::move(ends.producer));
      links.push_back({10 + i, std::move(ends.consumer)});
    }
    intake = std::make_unique<Intake>(
        "bubble", std::move(links),
        IntakeServices{.executor = executor, .receiver = receiver, .counters = counters});
    receiver.intake = intake.get();
  }
  void give(std::size_t client, PacketKind kind, std::int64_t step, int number = 0, int value = -1) {
    transport::Producer& producer = *producers[client];
    const auto slot = producer.reserve(value < 0 ? 0 : 1);
    if (value >= 0) slot[0] = std::byte(value);
    producer.publish({kind, number, step, 0.5 * static_cast<double>(step)});
  }
  void tick(std::size_t client, std::int64_t step) { give(client, PacketKind::tick, step); }
  void block(std::size_t client, std::int64_t step, int number, int value) {
    give(client, PacketKind::block, step, number, value);
  }
  void finish(std::size_t client, int counters) { give(client, PacketKind::finish, 0, 0, counters); }
  // Until nothing moves any more, not even what had waited for a moment.
  void settle() {
    for (int quiet = 0; quiet < 2;) {
      const bool moved = intake->progress() || executor.running() > 0;
      quiet = moved ? 0 : quiet + 1;
      if (!moved && executor.threads() > 0) std::this_thread::sleep_for(std::chrono::microseconds(1500));
    }
  }
  std::vector<std::string> take_events() { return std::exchange(receiver.events, {}); }
};

class Clients : public testing::TestWithParam<Threads> {};

}  // namespace tailrace::server
