#include "pipeline/sampling/output_variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "plan/analysis.hpp"

namespace tailrace::pipeline::sampling {
namespace {

// The share of a field that is put once.
const std::vector<time::Share> the_only_sample{
    {.record = {}, .weight = 1.0, .fraction = 1.0, .closes = true}};

std::vector<std::byte> fill_bytes(const output::VariableSpec& spec) {
  return model::dispatch(spec.type, [&](auto zero) {
    const auto value = spec.fill_value.value_or(0.0).as<decltype(zero)>();
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  });
}

}  // namespace

OutputVariables::OutputVariables(const Blueprint& blueprint, Emit emit, Lose lose)
    : blueprint_(blueprint),
      emit_(std::move(emit)),
      lose_(std::move(lose)),
      axes_(blueprint.plan, blueprint.info.begin),
      of_field_(blueprint.info.declarations.fields.size()) {
  for (std::size_t f = 0; f < blueprint.layouts.size(); ++f) {
    for (std::size_t v = 0; v < blueprint.layouts[f].variables.size(); ++v) {
      variables_.push_back(make_variable(f, v));
      of_field_[base::index(variables_.back()->field)].push_back(variables_.back().get());
    }
  }
}

std::unique_ptr<OutputVariable> OutputVariables::make_variable(std::size_t file, std::size_t variable) const {
  const cf::VariableLayout& layout = blueprint_.layouts[file].variables[variable];
  const output::VariableSpec& spec = blueprint_.layouts[file].dataset.variables[base::index(layout.variable)];
  auto output_variable = std::make_unique<OutputVariable>();
  output_variable->number = variables_.size();
  output_variable->file = file;
  output_variable->variable = variable;
  output_variable->field = layout.field;
  output_variable->input = blueprint_.field(layout.field).type;
  output_variable->output = spec.type;
  output_variable->fill_value = spec.fill_value.value_or(0.0);
  output_variable->fill = fill_bytes(spec);
  if (const auto fill = blueprint_.field(layout.field).fill_value) output_variable->missing = {.fill = *fill};
  if (layout.plan >= 0) {
    const plan::DatasetPlan& in = blueprint_.plan.files[file];
    const plan::VariablePlan& plan = in.variables[base::index(layout.plan)];
    output_variable->reduction = plan.reduction;
    output_variable->packing = plan.packing;
    if (output_variable->missing) output_variable->missing->propagates = plan.propagates_missing;
    output_variable->file_axis = plan.axis;
    output_variable->once = plan.axis < 0;
    if (!output_variable->once) {
      output_variable->axis = axes_.number(file, static_cast<std::size_t>(plan.axis));
      const time::AxisRule rule = in.axes[base::index(plan.axis)].rule();
      output_variable->further_windows.resize(static_cast<std::size_t>(rule.turns()) - 1);
      output_variable->at_end = rule.kind == time::AxisKind::at_end || rule.also_at_end;
    }
  }
  output_variable->copies = output_variable->changes_nothing();
  const auto& analysis = blueprint_.plan.analysis;
  output_variable->diagnostic =
      analysis && std::ranges::count(analysis->field_of_diagnostic, layout.field) > 0;
  return output_variable;
}

void OutputVariables::start(std::span<const int> clients) {
  for (const auto& output_variables : of_field_) is_sampled_.push_back(output_variables.empty() ? 0 : 1);
  for (const auto& output_variable : variables_) {
    // Diagnostics call expect() for the clients whose values are computed here.
    if ((output_variable->file_axis < 0 && !output_variable->once) || output_variable->diagnostic) continue;
    for (const int client : clients)
      if (blueprint_.sends(output_variable->field, client)) expect(*output_variable, client);
  }
  optional_fields_.emplace(
      blueprint_, [this](int field) { return !of_field(field).empty(); }, clients);
}

void OutputVariables::begin_step(const model::Tick& tick) {
  close_step();
  tick_ = tick;
  step_closed_ = false;
  axes_.advance(tick);
}

void OutputVariables::end_of_input() {
  if (tick_.step == model::static_step)
    step_closed_ = false;  // no step: fields that are put once are missing
  close_step();
}

void OutputVariables::close_step() {
  if (std::exchange(step_closed_, true)) return;
  optional_fields_->close_step(tick_, [this](int field, int client) {
    bool left_a_gap = false;
    for (OutputVariable* output_variable : of_field(field)) {
      const auto& shares = output_variable->once ? the_only_sample : axes_.shares(output_variable->axis);
      skip(*output_variable, client, shares);
      const auto is_due = [&](const time::Share& share) { return share.closes || !output_variable->at_end; };
      left_a_gap = left_a_gap || std::ranges::any_of(shares, is_due);
    }
    return left_a_gap;
  });
}

void OutputVariables::accept(int client, const model::PacketHeader& header,
                             std::span<const std::byte> payload) {
  if (is_sampled_[base::index(header.number)] == 0) return;
  for (OutputVariable* output_variable : of_field(header.number)) {
    if (header.step != model::static_step)
      fold(*output_variable, client, payload, axes_.shares(output_variable->axis));
    else if (output_variable->once)
      fold(*output_variable, client, payload, the_only_sample);
    else
      emit_(*output_variable, client, 0, payload);
  }
  optional_fields_->note_put(header.number, client);
}

void OutputVariables::fold(OutputVariable& output_variable, int client, std::span<const std::byte> values,
                           const std::vector<time::Share>& shares) {
  for (const time::Share& share : shares) {
    time::Accumulator* const folded =
        accumulator(output_variable, output_variable.window_of(share.record), client);
    if (folded == nullptr) {
      if (share.closes) emit_(output_variable, client, share.record.index, values);
      continue;
    }
    folded->combine(values, share.weight, share.fraction);
    if (share.closes) close(output_variable, client, share.record);
  }
}

void OutputVariables::skip(OutputVariable& output_variable, int client,
                           const std::vector<time::Share>& shares) {
  for (const time::Share& share : shares) {
    if (!share.closes) continue;
    if (output_variable.at_end) forget(output_variable, client, share.record);
    close(output_variable, client, share.record);
  }
}

// Discards the sample of an earlier step that was kept in case the run ended there.
void OutputVariables::forget(OutputVariable& output_variable, int client, const time::TimeRecord& record) {
  time::Accumulator* const folded = accumulator(output_variable, output_variable.window_of(record), client);
  std::vector<std::byte> values(cells_of(output_variable, client) * output_variable.fill.size());
  if (!folded->empty()) folded->finish(values);
}

void OutputVariables::finish(OutputVariable& output_variable, const plan::AxisBank& axes) {
  if (output_variable.file_axis < 0 || output_variable.copies) return;
  for (const time::TimeRecord& record : axes.axis(output_variable.axis).last_records())
    for (const auto& [client, accumulator] : output_variable.window_of(record))
      close(output_variable, client, record);
}

// A record without a single sample holds the fill value.
void OutputVariables::close(OutputVariable& output_variable, int client, const time::TimeRecord& record) {
  std::vector<std::byte> values(cells_of(output_variable, client) * output_variable.fill.size());
  time::Accumulator* const folded = accumulator(output_variable, output_variable.window_of(record), client);
  if (folded == nullptr || folded->empty())
    base::fill_with(output_variable.fill, values);
  else if (const time::Lost lost = folded->finish(values); lost.values > 0)
    lose_(output_variable, record, lost);
  emit_(output_variable, client, record.index, values);
}

// The accumulators of fields are all made in start(), so that workers only look them up.
time::Accumulator* OutputVariables::accumulator(const OutputVariable& output_variable, Accumulators& window,
                                                int client) {
  if (output_variable.copies) return nullptr;
  if (time::Accumulator* const found = window.find(client)) return found;
  const std::size_t cells = cells_of(output_variable, client);
  auto made = time::make_accumulator(output_variable.reduction, output_variable.input,
                                     output_variable.stored(), cells, output_variable.missing);
  for (const time::KeptArray& kept : made->kept_arrays()) bytes_ += cells * model::size_of(kept.type);
  return &window.add(client, std::move(made));
}

std::size_t OutputVariables::cells_of(const OutputVariable& output_variable, int client) const {
  return static_cast<std::size_t>(
      blueprint_.region(blueprint_.field(output_variable.field).grid, client).size());
}

OutputVariableState OutputVariables::state_of(const OutputVariable& output_variable,
                                              std::size_t window) const {
  const plan::DatasetPlan& file = blueprint_.plan.files[output_variable.file];
  const int planned = blueprint_.layouts[output_variable.file].variables[output_variable.variable].plan;
  const int grid = blueprint_.field(output_variable.field).grid;
  const bool may_lack_samples = output_variable.diagnostic || output_variable.at_end ||
                                blueprint_.plan.fields[base::index(output_variable.field)].optional;
  const std::string of_cycle = output_variable.windows() == 1 ? "" : fmt::format("{}/", window);
  return {fmt::format("files/{}/{}/{}", file.entry.path, file.variables[base::index(planned)].name, of_cycle),
          blueprint_.info.declarations.grids[base::index(grid)],
          blueprint_.info.decomposition.regions[base::index(grid)], may_lack_samples};
}

void OutputVariables::save(model::StateSaver& saver) const {
  axes_.save(model::NumberSaver(saver, "axes/"));
  model::NumberSaver output_variables(saver, "streams/");
  output_variables("step", tick_.step);
  output_variables("time", tick_.time);
  save_windows(saver);
}

void OutputVariables::save_windows(model::StateSaver& saver) const {
  for (const auto& output_variable : variables_)
    for (std::size_t window = 0; output_variable->file_axis >= 0 && window < output_variable->windows();
         ++window)
      state_of(*output_variable, window).save(saver, output_variable->window(window));
}

void OutputVariables::load(const model::StateLoader& loader) {
  axes_.load(model::NumberLoader(loader, "axes/"));
  model::NumberLoader output_variables(loader, "streams/");
  output_variables("step", tick_.step);
  output_variables("time", tick_.time);
  step_closed_ = true;
  for (const auto& output_variable : variables_)
    for (std::size_t window = 0;
         output_variable->file_axis >= 0 && !blueprint_.plan.files[output_variable->file].is_unsaved &&
         window < output_variable->windows();
         ++window)
      state_of(*output_variable, window).load(loader, output_variable->window(window));
}

}  // namespace tailrace::pipeline::sampling
