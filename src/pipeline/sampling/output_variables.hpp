// From samples to records: adds the blocks of a step, client by client, to the records of all output
// variables, and passes on finished records.
//
// Every server advances the time axes with the steps of its own clients, so it assigns samples to records
// without a message. A cell belongs to one client, whose blocks arrive in the order of its steps. So the
// results do not depend on the number of threads, and no accumulator needs a lock.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/index.hpp"
#include "model/block.hpp"
#include "pipeline/blueprint.hpp"
#include "pipeline/sampling/optional_fields.hpp"
#include "pipeline/sampling/output_variable.hpp"
#include "pipeline/sampling/output_variable_state.hpp"
#include "plan/axis_bank.hpp"

namespace tailrace::pipeline::sampling {

class OutputVariables final : public model::Stateful {
 public:
  // Receives one client's part of a finished record, on the thread that finished it. The values are valid
  // during the call.
  using Emit = std::function<void(const OutputVariable&, int client, const time::TimeRecord&,
                                  std::span<const std::byte>)>;

  // Called for values in a client's part of a record that readers take for missing (time::Lost); on any
  // thread.
  using Lose = std::function<void(const OutputVariable&, const time::TimeRecord&, const time::Lost&)>;

  struct Receivers {
    Emit emit;         // of values as the file stores them
    Emit emit_source;  // of those that are still to be regridded (OutputVariable::record_type); none without
                       // a sample
    Lose lose;
  };

  // The blueprint must live longer.
  OutputVariables(const Blueprint& blueprint, Receivers receivers);

  // `clients`: those of this server. Called once, before any block.
  void start(std::span<const int> clients);

  // Communication thread, after all work of the previous step.
  void begin_step(const model::Tick& tick);
  // All blocks of the current step have arrived. begin_step() calls it for the previous step.
  void close_step();
  void end_of_input();
  // Any worker, several at once, but only one for each client.
  void accept(int client, const model::PacketHeader& header, std::span<const std::byte> payload);

  // Adds one sample of a client's block with the shares of its step: as accept(), for values of a diagnostic.
  // One thread at a time for each output variable.
  void fold(OutputVariable& output_variable, int client, std::span<const std::byte> values,
            const std::vector<time::Share>& shares);
  // The same for a missing sample: it is not counted, and records that are due are passed on without it.
  void skip(OutputVariable& output_variable, int client, const std::vector<time::Share>& shares);
  void forget(OutputVariable& output_variable, int client, const time::TimeRecord& record);
  // Passes on the records of an output variable that are open at the end of the run, according to `axes`.
  void finish(OutputVariable& output_variable, const plan::AxisBank& axes);

  // Passes on a client's part of a record that was regridded, as the file stores it. Any thread, several at
  // once. `values`: OutputVariable::record_type.
  void emit_regridded(const OutputVariable& output_variable, int client, const time::TimeRecord& record,
                      std::span<const std::byte> values);
  // The same for a record that is made of one of a finer grid: `values` without packing.
  void emit_coarsened(const OutputVariable& output_variable, int client, const time::TimeRecord& record,
                      std::span<const double> values, std::span<const bool> valid);

  // Makes accumulators for an output variable whose samples are computed here, for a client.
  void expect(OutputVariable& output_variable, int client) {
    for (std::size_t turn = 0; turn < output_variable.windows(); ++turn)
      accumulator(output_variable, output_variable.window(turn), client);
  }

  // After close_step(), while idle: saves the accumulators as arrays over the cells of the grid. load() must
  // come after start() and expect(), which define the cells of this server.
  void save(model::StateSaver& saver) const override;
  // For a server without clients, which may be the root of diagnostics but does not advance its axes.
  void save_windows(model::StateSaver& saver) const;
  void load(const model::StateLoader& loader) override;

  std::size_t bytes() const { return bytes_; }  // upper bound of the memory of the accumulators
  const model::Tick& tick() const { return tick_; }
  // The model has ended the files that it opened, after close_step().
  void end_files();
  void begin_files(bool is_open);  // after end_files(); true: the model has opened others
  const plan::AxisBank& axes() const { return axes_; }  // at the current step
  std::span<const std::unique_ptr<OutputVariable>> all() const { return variables_; }
  // Those that take the samples of a field.
  const std::vector<OutputVariable*>& of_field(int field) const { return of_field_[base::index(field)]; }
  // Those that take its samples once they are regridded.
  const std::vector<OutputVariable*>& regridded_from(int field) const {
    return regridded_from_[base::index(field)];
  }

 private:
  std::unique_ptr<OutputVariable> make_variable(std::size_t file, std::size_t variable) const;
  void set_regridding(OutputVariable& output_variable, const plan::VariablePlan& plan) const;
  void connect(OutputVariable& output_variable);
  void pass_on(const OutputVariable& output_variable, int client, const time::TimeRecord& record,
               std::span<const std::byte> values) const;
  time::Accumulator* accumulator(const OutputVariable& output_variable, Accumulators& window, int client);
  std::size_t cells_of(const OutputVariable& output_variable, int client) const;
  void close(OutputVariable& output_variable, int client, const time::TimeRecord& record);
  OutputVariableState state_of(const OutputVariable& output_variable, std::size_t window) const;

  const Blueprint& blueprint_;
  Receivers receivers_;
  plan::AxisBank axes_;
  model::Tick tick_{model::static_step, 0.0};
  bool step_closed_ = true;
  // On the heap, because the router and the diagnostics refer to them.
  std::vector<std::unique_ptr<OutputVariable>> variables_;
  std::vector<std::vector<OutputVariable*>> of_field_, regridded_from_;
  std::vector<char> is_sampled_;  // by field: it has output variables; a small array, read for each packet
  std::optional<OptionalFields> optional_fields_;
  std::size_t bytes_ = 0;
};

}  // namespace tailrace::pipeline::sampling
