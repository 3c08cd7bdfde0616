// Computes the diagnostics of one component on one server: takes the blocks of a step, executes the phases of
// its schedule together with the other servers, and returns the values, step by step.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analytics/placement.hpp"
#include "messaging/messenger.hpp"
#include "model/block.hpp"
#include "model/data_type.hpp"
#include "model/state.hpp"

namespace tailrace::analytics {

struct EngineServices {
  messaging::Messenger& messenger;
  std::int32_t kind = 0;  // the kind of this engine's messages
  int home = 0;           // the server of the component's first rank
  // Runs a piece of work on a worker. A light one, well below a millisecond, may be run at once.
  std::function<void(std::function<void()>, bool light)> submit;
};

// The value of a diagnostic at a step: the block of a client, or the whole array (client -1), at its root
// only.
struct Result {
  int diagnostic = 0;
  int client = -1;
  std::size_t first = 0, count = 0;  // range in StepResults::values
};

// A value that is due but does not exist; a Failure has the reason.
struct MissingResult {
  int diagnostic = 0;
  int client = -1;
};

struct StepResults {
  model::Tick tick;
  std::vector<Result> results;
  std::vector<MissingResult> missing_results;
  std::vector<double> values;
  std::span<const double> of(const Result& result) const {
    return std::span(values).subspan(result.first, result.count);
  }
};

// Why a diagnostic has no value at a step. Reported on every server that should have had a part of it.
struct Failure {
  int diagnostic = 0;
  model::Tick tick;
  std::string what;
  bool thrown = false;  // an operator failed here; otherwise an input was missing
};

// Threads: the communication thread calls everything except wants() and accept(), which other threads may
// call between begin() and end(). Results and continuations are called on the communication thread, within
// progress(). Nothing blocks. The components are in engine/.
//
// Many steps may be in progress at once, and servers need not be at the same step, so a slow server delays
// only results. The caller of begin() bounds the memory (bytes()). Results are still returned in the order of
// steps, since reductions over time windows depend on it.
class Engine final : public model::Stateful {
 public:
  // `clients`: those of this server, by their number in the component, ascending. `graph` must outlive the
  // engine. `done` receives the results of each step, in the order of steps.
  Engine(const Graph& graph, const std::vector<EngineInput>& inputs, std::vector<int> clients,
         EngineServices services, std::function<void(StepResults&&)> done);
  ~Engine() override;

  // Begins a step at which these diagnostics are due. If none are, nothing happens until the next step.
  void begin(const model::Tick& tick, const std::vector<char>& due);
  bool wants(int input) const;  // whether the current step needs the input; any thread
  // Takes a copy of a block of the current step, or of a fixed input, which may arrive before the first step.
  // Any thread, once for each input and client.
  void accept(int input, int client, model::DataType type, std::span<const std::byte> payload);
  void end();  // all blocks of the current step have arrived

  bool progress();  // true if anything was done
  bool idle() const;
  std::size_t bytes() const;             // held for unfinished steps
  std::size_t fixed_bytes() const;       // of fixed inputs and kernel states, held until the end
  std::size_t steps() const;             // number of unfinished steps
  std::vector<Failure> take_failures();  // in the order of steps
  // Verifies together with the other servers that no message is left. Call once, when idle after the last
  // step.
  void finish(std::function<void(const std::string& unmatched)> then);
  std::string describe() const;  // for the watchdog
  const Placement& placement() const;
  // For which clients this server gets the values of a diagnostic; -1 for the whole array; empty for none.
  std::vector<int> clients_of(int diagnostic) const;

  // The states of kernels, and nothing else. Only while idle(). load() is called before the first step, and
  // throws Error(resource) if a state array has another shape or type than when it was saved.
  void save(model::StateSaver& saver) const override;
  void load(const model::StateLoader& loader) override;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tailrace::analytics
