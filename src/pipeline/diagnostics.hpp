// The diagnostics of one component on one server: blocks of a step go into the engine, and what it computes
// goes into the streams as if the model had put it.
//
// The engine may have several steps under way; its results come in the order of the steps, and one task at a
// time folds them into the streams, so accumulators of diagnostics need no lock and their bits depend on
// nothing but the steps.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analytics/engine.hpp"
#include "pipeline/blueprint.hpp"
#include "pipeline/control/control_channel.hpp"
#include "pipeline/sampling/output_variables.hpp"
#include "pipeline/tasks.hpp"
#include "sinks/make_sink.hpp"

namespace tailrace::pipeline {

// Communication thread only, but for accept().
class Diagnostics final : public model::Stateful {
 public:
  // All must live longer. `fail`: the component ends with this fault.
  struct Parts {
    const Blueprint& blueprint;
    sampling::OutputVariables& output_variables;
    Tasks& tasks;
    ControlChannel& control;
    sinks::SinkServices services;
    std::function<void(const base::Fault&)> fail;
  };
  // `clients`: of this server. The blueprint has an analysis with diagnostics.
  Diagnostics(Parts parts, std::vector<int> clients);

  // A step begins; `axes` stand at it. A diagnostic is computed where one of its variables takes a sample.
  void begin_step(const model::Tick& tick, const plan::AxisBank& axes);
  // A block of the current step. From any worker; copies what is needed.
  void accept(int field, int client, std::span<const std::byte> payload);
  void end_step() { engine_->end(); }  // all blocks of the current step are here

  bool progress();
  // No further step will come from any client: proves with the other servers that nothing is left. True if
  // that began now.
  bool prove_the_end();
  bool at_rest() const;  // nothing under way, nothing left to fold
  bool over() const { return at_rest() && proof_ == Proof::given; }

  // At rest nothing of a step is left here but what operators remember: what diagnostics have made so far is
  // in the streams.
  void save(model::StateSaver& saver) const override { engine_->save(saver); }
  void load(const model::StateLoader& loader) override { engine_->load(loader); }

  std::size_t bytes() const { return engine_->bytes(); }
  std::size_t fixed_bytes() const { return engine_->fixed_bytes(); }
  std::size_t steps() const { return engine_->steps(); }  // under way

 private:
  enum class Proof { none, asked, given };
  // Which records the samples of a step belong to, by number of time axis; empty where none is taken.
  using StepShares = std::vector<std::vector<time::Share>>;
  struct Fold {
    analytics::StepResults results;
    StepShares shares;
  };
  struct Input {
    int number = -1;  // of the analysis; -1: none
    model::DataType type = model::DataType::float64;
  };
  void make_engine(std::vector<int> clients);
  const std::vector<sampling::OutputVariable*>& streams_of(int diagnostic) const;
  void find_due(std::vector<char> active);
  void fold(const Fold& fold);
  void tell_failures();
  void tell_failure(const analytics::Failure& failure);

  Parts parts_;
  std::vector<Input> input_of_field_;
  // By number of time axis: some diagnostic is sampled there; that and the latest step is a sample.
  std::vector<char> diagnostic_coordinates_, active_axes_;
  std::vector<char> due_;               // by diagnostic, where `active_axes_` are
  std::deque<StepShares> step_shares_;  // of steps under way in the engine
  std::deque<Fold> folds_;
  std::atomic<bool> folding_{false};
  Proof proof_ = Proof::none;
  std::set<int> failed_;  // diagnostics of which it was said
  std::unique_ptr<analytics::Engine> engine_;
};

}  // namespace tailrace::pipeline
