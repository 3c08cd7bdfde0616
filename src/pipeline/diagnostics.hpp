// The diagnostics of one component on one server: passes the blocks of a step to the engine, and adds its
// results to the output variables as if the model had put them.
//
// The engine may work on several steps at once, but returns its results in the order of the steps, and one
// task at a time adds them. So accumulators of diagnostics need no lock, and their bits depend only on the
// steps.
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
#include "pipeline/regridding/regridding.hpp"
#include "pipeline/sampling/output_variables.hpp"
#include "pipeline/tasks.hpp"
#include "sinks/make_sink.hpp"

namespace tailrace::pipeline {

// Communication thread only, except for accept().
class Diagnostics final : public model::Stateful {
 public:
  // All must live longer. `fail` ends the component with a fault.
  struct Parts {
    const Blueprint& blueprint;
    sampling::OutputVariables& output_variables;
    Tasks& tasks;
    ControlChannel& control;
    sinks::SinkServices services;
    std::function<void(const base::Fault&)> fail;
    regridding::Regridding* regridding = nullptr;  // which takes samples too; null where there is none
  };
  // `clients`: those of this server. The blueprint must have an analysis with diagnostics.
  Diagnostics(Parts parts, std::vector<int> clients);

  // Begins a step, to which `axes` have advanced. A diagnostic is computed if one of its variables takes a
  // sample.
  void begin_step(const model::Tick& tick, const plan::AxisBank& axes);
  // A block of the current step. From any worker; copies what is needed.
  void accept(int field, int client, std::span<const std::byte> payload);
  void end_step() { engine_->end(); }  // all blocks of the current step have arrived

  bool progress();
  // After the last step: checks with the other servers that no exchange is unfinished. Returns true if the
  // check began now.
  bool prove_the_end();
  bool at_rest() const;  // idle: no step in the engine, no result left to add
  bool over() const { return at_rest() && proof_ == Proof::given; }

  // While idle, the only state here is that of operators; the results so far are in the output variables.
  void save(model::StateSaver& saver) const override { engine_->save(saver); }
  void load(const model::StateLoader& loader) override { engine_->load(loader); }

  std::size_t bytes() const { return engine_->bytes(); }
  std::size_t fixed_bytes() const { return engine_->fixed_bytes(); }
  std::size_t steps() const { return engine_->steps(); }  // in progress

 private:
  enum class Proof { none, asked, given };
  // The records to which the samples of a step belong, by number of time axis; empty where there is no
  // sample.
  using StepShares = regridding::StepShares;
  struct Fold {
    analytics::StepResults results;
    StepShares shares;
  };
  struct Input {
    int number = -1;  // index of the input in the analysis; -1: not an input
    model::DataType type = model::DataType::float64;
  };
  void make_engine(std::vector<int> clients);
  int field_of(int diagnostic) const;
  const std::vector<sampling::OutputVariable*>& variables_of(int diagnostic) const;
  std::vector<sampling::OutputVariable*> takers_of(int diagnostic) const;
  void find_due(std::vector<char> active);
  void fold(const Fold& fold);
  void report_failures();
  void report_failure(const analytics::Failure& failure);

  Parts parts_;
  std::vector<Input> input_of_field_;
  // By number of time axis: a diagnostic is sampled there; and the latest step is such a sample.
  std::vector<char> sampled_axes_, active_axes_;
  std::vector<char> due_;               // by diagnostic, for `active_axes_`
  std::deque<StepShares> step_shares_;  // of the steps in the engine
  std::deque<Fold> folds_;
  std::atomic<bool> folding_{false};
  Proof proof_ = Proof::none;
  std::set<int> failed_;  // diagnostics whose failure was reported
  std::unique_ptr<analytics::Engine> engine_;
};

}  // namespace tailrace::pipeline
