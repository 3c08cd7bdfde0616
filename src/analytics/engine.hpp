// Computes the diagnostics of one component on one server: takes the blocks of a step, goes through the
// phases of its schedule together with the other servers, and gives the values, step by step.
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
  std::int32_t kind = 0;  // of messages, the first of ActiveMessages::kinds that are this engine's own
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

// The communication thread calls everything but wants() and accept(), which other threads may call between
// begin() and end(); results and continuations come on the communication thread, inside progress(). Nothing
// blocks. The parts it is wired from are in engine/.
//
// Many steps may be under way at once, and servers need not be at the same one: a slow server then delays
// only results, and what bounds the memory is who calls begin() (bytes()). Results are given in the order of
// steps all the same, since windows of time are folded in that order.
class Engine final : public model::Stateful {
 public:
  // `clients`: of this server, as numbered in the component, ascending. `graph` must live longer. `done` gets
  // the results of each step, in the order of the steps.
  Engine(const Graph& graph, const std::vector<EngineInput>& inputs, std::vector<int> clients,
         EngineServices services, std::function<void(StepResults&&)> done);
  ~Engine() override;

  // A step begins at which these diagnostics are due (none: nothing happens until the next).
  void begin(const model::Tick& tick, const std::vector<char>& due);
  bool wants(int input) const;  // in the current step; from any thread
  // A block of the current step, or of a fixed input, which may come before the first one. Copies. Any
  // thread, once for each input and client.
  void accept(int input, int client, model::DataType type, std::span<const std::byte> payload);
  void end();  // all blocks of the current step are here

  bool progress();  // true if anything moved
  bool idle() const;
  std::size_t bytes() const;             // held for steps that are not finished
  std::size_t fixed_bytes() const;       // of fixed inputs and memories, which stay
  std::size_t steps() const;             // that are not finished
  std::vector<Failure> take_failures();  // in the order of steps
  // Proves, with the other servers, that nothing is left; call once, when idle after the last step.
  void finish(std::function<void(const std::string& unmatched)> then);
  std::string describe() const;  // for the watchdog
  const Placement& placement() const;
  // Whose values of a diagnostic come here: clients of this server; -1 for the whole; none.
  std::vector<int> clients_of(int diagnostic) const;

  // While idle(): what kernels remember of earlier steps, and nothing else. load() comes before the first
  // step, and throws Error(resource) where a memory is another one than before.
  void save(model::StateSaver& saver) const override;
  void load(const model::StateLoader& loader) override;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tailrace::analytics
