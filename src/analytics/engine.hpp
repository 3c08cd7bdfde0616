// Computes the diagnostics of one component on one server: takes the blocks of a step, goes through the
// phases of its schedule together with the other servers, and gives the values, step by step.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "analytics/placement.hpp"
#include "messaging/active_messages.hpp"
#include "model/block.hpp"
#include "model/data_type.hpp"

namespace tailrace::analytics {

struct EngineInput {
  Place place = Place::local;
  std::vector<model::Region> regions;  // local: by client of the component
  std::vector<double> values;          // known: the whole
};

struct EngineServices {
  messaging::Messenger& messenger;
  std::int32_t kind = 0;  // of messages, this engine's own
  int home = 0;           // the server of the component's first rank
  // Runs a piece of work on a worker; a light one, of well below a millisecond, perhaps at once.
  std::function<void(std::function<void()>, bool light)> submit;
};

// The value of a diagnostic at a step: the block of a client, or (client -1) the whole, at its root only.
struct Result {
  int diagnostic = 0;
  int client = -1;
  std::size_t first = 0, count = 0;  // in StepResults::values
};

// A value that is due but not there; the reason is in a Failure.
struct Gap {
  int diagnostic = 0;
  int client = -1;
};

struct StepResults {
  model::Tick tick;
  std::vector<Result> results;
  std::vector<Gap> gaps;
  std::vector<double> values;
  std::span<const double> of(const Result& result) const {
    return std::span(values).subspan(result.first, result.count);
  }
};

// Why a diagnostic has no value at a step. Told on every server that should have had a part of it.
struct Failure {
  int diagnostic = 0;
  model::Tick tick;
  std::string what;
  bool thrown = false;  // an operator failed here; otherwise something was missing
};

// The communication thread calls everything but accept().
class Engine {
 public:
  // `clients`: of this server, as numbered in the component. `graph` must live longer. `done` gets the
  // results of each step, in the order of the steps.
  Engine(const Graph& graph, std::vector<EngineInput> inputs, std::vector<int> clients,
         EngineServices services, std::function<void(StepResults&&)> done);
  ~Engine();

  // A step begins at which these diagnostics are due (none: nothing happens until the next).
  void begin(const model::Tick& tick, const std::vector<char>& due);
  bool wants(int input) const;  // in the current step; from any thread
  // A block of the current step. Copies. Any thread, once for each input and client.
  void accept(int input, int client, model::DataType type, std::span<const std::byte> payload);
  void end();  // all blocks of the current step are here

  bool progress();  // true if anything moved
  bool idle() const { return works_.empty(); }
  std::size_t bytes() const;  // held for steps that are not finished
  std::size_t steps() const { return works_.size(); }
  std::vector<Failure> take_failures();
  // Proves, with the other servers, that nothing is left; call once, when idle after the last step.
  void finish(std::function<void(const std::string& unmatched)> then);
  std::string describe() const;  // for the watchdog
  const Placement& placement() const { return placement_; }

 private:
  struct Work;
  struct ClientValues;
  struct Layout;
  class Blocks;
  struct Plan;  // what steps do at which the same diagnostics are due

  Plan& plan(const std::vector<char>& due);
  std::unique_ptr<Work> work_for(Plan& plan);
  void run_phase(Work& work);
  void run_phase_alone(Work& work);
  void phase_done(Work& work, std::size_t phase);
  void gather_at_root(Work& work, std::size_t phase, std::size_t root, std::vector<messaging::Bytes>&& parts);
  void root_done(Work& work, std::size_t phase, std::size_t root);
  void broadcast_arrived(Work& work, std::size_t phase, std::size_t root, messaging::Bytes&& message);
  bool may_run(const Work& work) const;
  void finish_work(Work& work);
  void post(std::function<void()> next);
  void in_background(std::function<void()> work, std::function<void()> then, bool light);
  messaging::Name name(const Work& work, std::size_t phase, std::size_t root, int what) const;

  const Graph& graph_;
  std::vector<EngineInput> inputs_;
  std::vector<int> clients_;
  std::vector<int> place_of_client_;  // in clients_; -1: another server's
  EngineServices services_;
  std::function<void(StepResults&&)> done_;
  messaging::ActiveMessages messages_;
  Placement placement_;
  bool in_order_ = false;  // some kernel remembers: one step after the other
  std::unique_ptr<Layout> layout_;
  std::vector<int> nodes_of_inputs_;
  std::map<int, std::unique_ptr<KernelRun>> runs_;  // of kernels that remember
  std::map<std::vector<char>, std::unique_ptr<Plan>> plans_;
  Plan* newest_ = nullptr;                   // of the last step that began
  std::deque<std::unique_ptr<Work>> works_;  // of steps that are not finished, in their order
  Work* current_ = nullptr;
  std::int64_t rounds_ = 0;      // begun so far
  std::int64_t next_round_ = 0;  // whose results come next
  std::map<std::int64_t, StepResults> finished_;
  std::mutex mutex_;  // guards posted_
  std::vector<std::function<void()>> posted_;
  std::vector<Failure> failures_;
};

}  // namespace tailrace::analytics
