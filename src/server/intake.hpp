// The receive phase for one component on one server: takes the packets of its clients so that all are worked
// on in the same step. A client that runs ahead waits in its own buffer, which bounds the server's memory.
// The intake depends neither on the source of the packets (PacketSource) nor on their use (StepReceiver).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "env/executor.hpp"
#include "pipeline/input.hpp"
#include "pipeline/step_receiver.hpp"
#include "telemetry/counters.hpp"
#include "telemetry/trace.hpp"
#include "transport/packet_source.hpp"
#include "transport/process.hpp"

namespace tailrace::server {

struct Link {
  int client = 0;  // rank in the component
  std::unique_ptr<transport::PacketSource> source;
  // The client's process, if it is on this node. A source may not notice that it dies (mpi).
  transport::ProcessId process{};
};

// All must live longer.
struct IntakeServices {
  env::Executor& executor;
  pipeline::StepReceiver& receiver;
  telemetry::ServerCounters& counters;
  telemetry::Trace* trace = nullptr;  // may be null
};

// Communication thread only; the tasks that it submits are counted in in_work_.
//
// Design note: all clients of a server must reach a tick before any of them continues to the next. So a
// server holds at most one step and the rings, whatever the clients do, and the component never has two
// steps of a field in progress. The price is that a slow client makes the others of this server wait once
// their rings are full. Clients of different servers are not synchronized here.
class Intake final : public pipeline::Input {
 public:
  Intake(std::string component, std::vector<Link> links, const IntakeServices& services);
  ~Intake() override;

  bool progress();  // takes the packets that are there; true if anything moved
  // Whether the doorbell announces every packet, and no packet that arrived waits for its run to be due.
  bool announced() const;
  void close();                  // sends the last message to clients that have finished
  std::string describe() const;  // for the watchdog: the state of each client
  // The counters of the clients, as sent with their last packets.
  const std::vector<std::vector<std::byte>>& client_counters() const { return client_counters_; }

  // The latest tick that any client has reached, which may be one ahead of tick().
  const model::Tick& first_tick() const;

  bool started() const;  // a client has taken its first step

  // pipeline::Input
  const model::Tick& tick() const override { return tick_; }
  bool step_is_complete() const override {
    return all(State::at_tick, State::finished) || all(State::at_checkpoint, State::at_checkpoint);
  }
  const model::Tick& complete_until() const override { return step_is_complete() ? tick_ : last_tick_; }
  bool stands_still() const override;
  bool finished() const override { return finished_; }
  bool has_lost() const override;
  bool runs_on() const override;
  double buffer_used() const override;
  std::size_t most_step_bytes() const override;
  void raise(const base::Fault& fault) override;
  void say_written(std::int64_t step) override;
  void discard() override;
  void expect_losses() override;
  void halt() override { halted_ = true; }

 private:
  enum class State { running, at_tick, at_checkpoint, at_file, finished, gone };
  using Packets = std::vector<transport::Packet>;
  struct Client {
    Link link;
    State state = State::running;
    model::Tick tick;  // the tick that the client is at or waits for
    bool started = false;
    Packets run;  // small blocks that wait for a worker
    std::size_t run_bytes = 0;
    double run_begin = 0.0;  // steady seconds
    bool missed = false;     // its process was gone at the last look
    bool runs_on = false;    // it got a stop signal, and does not ask whether it is to stop
    bool opens = false;      // at_file: others begin
  };
  bool drain(Client& client);
  bool due(const Client& client) const;  // its run must not wait any longer
  void sort_out(Client& client, std::size_t first);
  void take(Client& client, const transport::Packet& packet);
  bool submit(Client& client);  // the run, if there is one
  void hand_over(Client& client, std::shared_ptr<const Packets> packets, std::size_t begin, std::size_t end);
  void work_on(int client, transport::PacketSource& source, std::span<const transport::Packet> packets);
  bool advance();
  bool advance_checkpoint();
  bool advance_files();
  void lose(Client& client, const std::string& why);
  void look_for_the_dead();
  bool all(State a, State b) const;
  static bool waits(State state);  // for the other clients

  std::string component_;
  std::vector<Client> clients_;
  env::Executor& executor_;
  pipeline::StepReceiver& receiver_;
  telemetry::ServerCounters& counters_;
  telemetry::Trace* trace_;
  std::atomic<int> in_work_{0};  // pieces of work of the current step
  model::Tick tick_{model::static_step, 0.0};
  model::Tick last_tick_{model::static_step, 0.0};
  std::size_t step_bytes_ = 0, most_step_bytes_ = 0;  // of this step; of earlier steps
  std::vector<std::byte> checkpoint_values_;
  std::vector<std::byte> opened_files_;  // of the first rank, until all clients have opened them
  bool in_checkpoint_ = false;           // the receiver has begun it
  bool discarding_ = false;
  bool losses_expected_ = false;
  bool halted_ = false;
  bool moved_ = true;  // in the latest progress()
  bool finished_ = false;
  double next_look_ = 0.0;
  std::vector<std::vector<std::byte>> client_counters_;
};

}  // namespace tailrace::server
