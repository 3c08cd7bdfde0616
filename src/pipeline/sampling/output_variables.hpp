// From samples to records: the blocks of a step, client by client, are folded into the records of all
// variables, and finished records are passed on.
//
// Every server advances the time axes with the steps of its own clients, so which sample belongs to which
// record needs no message. A cell belongs to one client, and a client's blocks come in the order of its
// steps: so nothing here depends on the number of threads, and no accumulator needs a lock.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/block.hpp"
#include "pipeline/blueprint.hpp"
#include "pipeline/sampling/optional_fields.hpp"
#include "pipeline/sampling/output_variable.hpp"
#include "pipeline/sampling/output_variable_state.hpp"
#include "plan/axis_bank.hpp"

namespace tailrace::pipeline::sampling {

class OutputVariables final : public model::Stateful {
 public:
  // Takes one client's part of a finished record; called on the thread that finished it. The values are
  // valid during the call.
  using Emit =
      std::function<void(const OutputVariable&, int client, std::int64_t record, std::span<const std::byte>)>;

  // Told of values in a client's part of a record that the variable's type cannot hold; on any thread.
  using Lose = std::function<void(const OutputVariable&, const time::TimeRecord&, const time::Lost&)>;

  // The blueprint must live longer.
  OutputVariables(const Blueprint& blueprint, Emit emit, Lose lose);

  // The clients of this server; called once, before any block.
  void start(std::span<const int> clients);

  // Communication thread, while nothing of the step before is being worked on.
  void begin_step(const model::Tick& tick);
  void
  close_step();  // no block of the current step is still to come; begin_step() does it for the one before
  void end_of_input();
  // Any worker, several at once; never twice at once for the same client.
  void accept(int client, const model::PacketHeader& header, std::span<const std::byte> payload);

  // One sample of a client's block under the shares of its step: what accept() does with a field, for values
  // that were computed here. One thread at a time for each stream.
  void fold(OutputVariable& output_variable, int client, std::span<const std::byte> values,
            const std::vector<time::Share>& shares);
  // The same where the sample is missing: it counts for nothing, and what is due is passed on without it.
  void skip(OutputVariable& output_variable, int client, const std::vector<time::Share>& shares);
  void forget(OutputVariable& output_variable, int client, const time::TimeRecord& record);
  // Passes on the records of a stream that the end of the run closes, as `axes` have them.
  void finish(OutputVariable& output_variable, const plan::AxisBank& axes);

  // Gives a stream of a diagnostic an accumulator for the client whose values will come here.
  void expect(OutputVariable& output_variable, int client) {
    for (std::size_t turn = 0; turn < output_variable.windows(); ++turn)
      accumulator(output_variable, output_variable.window(turn), client);
  }

  // Behind close_step(), while nothing is under way: what the accumulators hold, as arrays over the cells of
  // the grid. load() comes after start() and expect(), which say whose cells are here.
  void save(model::StateSaver& saver) const override;
  // Of a server without clients, whose axes stand still: it may be the root of diagnostics.
  void save_windows(model::StateSaver& saver) const;
  void load(const model::StateLoader& loader) override;

  std::size_t bytes() const { return bytes_; }  // that the accumulators hold at most
  const model::Tick& tick() const { return tick_; }
  const plan::AxisBank& axes() const { return axes_; }  // at the step whose blocks are being taken
  std::span<const std::unique_ptr<OutputVariable>> all() const { return variables_; }
  const std::vector<OutputVariable*>& of_field(int field) const {
    return of_field_[static_cast<std::size_t>(field)];
  }

 private:
  std::unique_ptr<OutputVariable> make_variable(std::size_t file, std::size_t variable) const;
  time::Accumulator* accumulator(const OutputVariable& output_variable, Accumulators& window, int client);
  std::size_t cells_of(const OutputVariable& output_variable, int client) const;
  void close(OutputVariable& output_variable, int client, const time::TimeRecord& record);
  OutputVariableState state_of(const OutputVariable& output_variable, std::size_t window) const;

  const Blueprint& blueprint_;
  Emit emit_;
  Lose lose_;
  plan::AxisBank axes_;
  model::Tick tick_{model::static_step, 0.0};
  bool step_closed_ = true;
  // Never moved once made, since the router and the diagnostics refer to them.
  std::vector<std::unique_ptr<OutputVariable>> variables_;
  std::vector<std::vector<OutputVariable*>> of_field_;
  std::vector<char> is_sampled_;  // by field: whether it has any; asked for each packet, so it is small
  std::optional<OptionalFields> optional_fields_;
  std::size_t bytes_ = 0;
};

}  // namespace tailrace::pipeline::sampling
