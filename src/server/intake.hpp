// The receive phase for one component on one server: takes the packets of its clients so that all are worked
// on in the same step. A client that runs ahead waits in its own buffer, which bounds the server's memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "server/executor.hpp"
#include "server/pipeline.hpp"
#include "telemetry/counters.hpp"
#include "telemetry/trace.hpp"
#include "transport/process.hpp"
#include "transport/transport.hpp"

namespace tailrace::server {

struct Link {
  int client = 0;  // rank in the component
  std::unique_ptr<transport::Consumer> consumer;
  // Where it is on this node: a consumer need not see that it dies (mpi).
  transport::ProcessId process{};
};

// All must live longer.
struct IntakeServices {
  Executor& executor;
  Pipeline& pipeline;
  telemetry::ServerCounters& counters;
  telemetry::Trace* trace = nullptr;  // may be null
};

// Communication thread only; what it hands over is worked on elsewhere and counted back in in_work_.
//
// Design note: all clients of a server stand at one tick before any goes on to the next. That bounds what a
// server holds by one step and the rings, whatever the clients do, and the pipeline never has two steps of a
// field in the air. The price: a slow client keeps the others of this server waiting once their rings are
// full. Clients of different servers are not held together here.
class Intake {
 public:
  Intake(std::string component, std::vector<Link> links, const IntakeServices& services);
  ~Intake();

  bool progress();  // takes what there is; true if anything moved
  void discard();   // from now on packets are taken and dropped, so that no client waits for room
  // The run is being stopped, which its clients may not survive. One that is gone is no fault from now on,
  // and its buffer is taken to the end; the clients that live hear of the stop.
  void expect_losses();
  bool has_lost() const;           // a client is gone; more of it may be in its buffer
  void halt() { halted_ = true; }  // takes nothing any more
  // Nothing is in work, and while the clients do not go on, nothing more will be.
  bool stands_still() const;
  // The blocks of tick() are all here, and not only those of the steps before.
  bool step_is_complete() const {
    return all(State::at_tick, State::finished) || all(State::at_checkpoint, State::at_checkpoint);
  }
  const model::Tick& complete_until() const { return step_is_complete() ? tick_ : last_tick_; }
  // Nothing comes that the doorbell does not announce, and nothing that came waits for its time.
  bool announced() const;
  bool finished() const { return finished_; }        // every client has finished or is gone
  void raise(const base::Fault& fault);              // to all clients
  void close();                                      // the last word to clients that have finished
  const model::Tick& tick() const { return tick_; }  // static_step before the first one
  double buffer_used() const;                        // 0 to 1, of the fullest client
  std::size_t most_step_bytes() const;               // that came in a step, the current one included
  std::string describe() const;                      // for the watchdog: where each client stands
  // What the clients counted, as they sent it with their last packet.
  const std::vector<std::vector<std::byte>>& client_counters() const { return client_counters_; }

 private:
  enum class State { running, at_tick, at_checkpoint, finished, gone };
  using Packets = std::vector<transport::Packet>;
  struct Client {
    Link link;
    State state = State::running;
    model::Tick tick;  // that it stands at or waits for
    bool started = false;
    Packets run;  // small blocks that are taken and wait for a worker
    std::size_t run_bytes = 0;
    double run_begin = 0.0;  // steady seconds
    bool missed = false;     // its process was gone at the last look
  };
  bool drain(Client& client);
  bool due(const Client& client) const;  // its run is not to wait any longer
  void sort_out(Client& client, std::size_t first);
  void take(Client& client, const transport::Packet& packet);
  bool submit(Client& client);  // the run, if there is one
  void hand_over(Client& client, std::shared_ptr<const Packets> packets, std::size_t begin, std::size_t end);
  void work_on(int client, transport::Consumer& consumer, std::span<const transport::Packet> packets);
  bool advance();
  bool advance_checkpoint();
  void lose(Client& client, const std::string& why);
  void look_for_the_dead();
  bool all(State a, State b) const;

  std::string component_;
  std::vector<Client> clients_;
  Executor& executor_;
  Pipeline& pipeline_;
  telemetry::ServerCounters& counters_;
  telemetry::Trace* trace_;
  std::atomic<int> in_work_{0};  // pieces of work of the current step
  model::Tick tick_{model::static_step, 0.0};
  model::Tick last_tick_{model::static_step, 0.0};
  std::size_t step_bytes_ = 0, most_step_bytes_ = 0;  // of this step; of those before
  std::vector<std::byte> checkpoint_values_;
  bool in_checkpoint_ = false;  // the pipeline was told of it
  bool discarding_ = false;
  bool losses_expected_ = false;
  bool halted_ = false;
  bool moved_ = true;  // in the latest progress()
  bool finished_ = false;
  double next_look_ = 0.0;
  std::vector<std::vector<std::byte>> client_counters_;
};

}  // namespace tailrace::server
