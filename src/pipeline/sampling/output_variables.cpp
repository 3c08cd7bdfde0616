#include "pipeline/sampling/output_variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "plan/analysis.hpp"
#include "plan/regridding.hpp"

namespace tailrace::pipeline::sampling {
namespace {

// The share of a field that is put once.
const std::vector<time::Share> the_only_sample{
    {.record = {}, .weight = 1.0, .fraction = 1.0, .closes = true}};

// Cells that nobody put have netCDF's default in a field whose file states no fill value (`layout: wrf`),
// since readers know it without. Other variables have no such cells.
model::FillValue fill_of(const output::VariableSpec& spec) {
  return spec.fill_value.value_or(spec.is_field ? model::default_fill(spec.type) : model::FillValue(0.0));
}

std::vector<std::byte> fill_bytes(const output::VariableSpec& spec) {
  return model::dispatch(spec.type, [&](auto zero) {
    const auto value = fill_of(spec).as<decltype(zero)>();
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  });
}

}  // namespace

OutputVariables::OutputVariables(const Blueprint& blueprint, Receivers receivers)
    : blueprint_(blueprint),
      receivers_(std::move(receivers)),
      axes_(blueprint.plan, blueprint.info.begin),
      of_field_(blueprint.info.declarations.fields.size()),
      regridded_from_(of_field_.size()) {
  for (std::size_t f = 0; f < blueprint.layouts.size(); ++f)
    for (std::size_t v = 0; v < blueprint.layouts[f].variables.size(); ++v)
      variables_.push_back(make_variable(f, v));
  for (const auto& output_variable : variables_) connect(*output_variable);
}

std::unique_ptr<OutputVariable> OutputVariables::make_variable(std::size_t file, std::size_t variable) const {
  const cf::VariableLayout& layout = blueprint_.layouts[file].variables[variable];
  const output::VariableSpec& spec = blueprint_.layouts[file].dataset.variables[base::index(layout.variable)];
  auto output_variable = std::make_unique<OutputVariable>();
  output_variable->number = variables_.size();
  output_variable->file = file;
  output_variable->variable = variable;
  output_variable->field = output_variable->accumulated = layout.field;
  output_variable->input = blueprint_.field(layout.field).type;
  output_variable->output = spec.type;
  output_variable->fill_value = fill_of(spec);
  output_variable->fill = fill_bytes(spec);
  if (const auto fill = blueprint_.field(layout.field).fill_value) output_variable->missing = {.fill = *fill};
  if (layout.plan >= 0) {
    const plan::DatasetPlan& in = blueprint_.plan.files[file];
    const plan::VariablePlan& plan = in.variables[base::index(layout.plan)];
    output_variable->reduction = plan.reduction;
    output_variable->packing = plan.packing;
    if (plan.regrid >= 0) set_regridding(*output_variable, plan);
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
  // Records that are regridded, and their valid shares, are converted afterwards.
  if (output_variable->regridded != Regridded::per_record &&
      output_variable->regridded != Regridded::companion)
    output_variable->record_type = output_variable->stored();
  output_variable->copies = output_variable->has_no_samples() || output_variable->changes_nothing();
  const auto& analysis = blueprint_.plan.analysis;
  output_variable->diagnostic =
      analysis && std::ranges::count(analysis->field_of_diagnostic, output_variable->accumulated) > 0;
  return output_variable;
}

// A cell of a target may be missing even if no value of the field is, so its variables always know a value
// for that.
void OutputVariables::set_regridding(OutputVariable& output_variable, const plan::VariablePlan& plan) const {
  const plan::RegridPlan& regrid = blueprint_.plan.regridding->regrids[base::index(plan.regrid)];
  const bool is_companion = plan.fraction_of >= 0;
  const model::FillValue fill =
      blueprint_.field(output_variable.field).fill_value.value_or(model::default_fill(plan.regridded_type));
  output_variable.input = plan.regridded_type;
  output_variable.missing = {.fill = fill};
  switch (regrid.stage) {
    case plan::Stage::coarsened: output_variable.regridded = Regridded::coarsened; break;
    case plan::Stage::per_sample: output_variable.regridded = Regridded::per_sample; break;
    case plan::Stage::per_record:
      output_variable.record_type = {plan.regridded_type, fill};
      output_variable.regridded = is_companion ? Regridded::companion : Regridded::per_record;
      if (is_companion) break;
      output_variable.accumulated = regrid.source_field;
      output_variable.input = blueprint_.field(regrid.source_field).type;
      output_variable.missing.reset();
      if (const auto value = blueprint_.field(regrid.source_field).fill_value)
        output_variable.missing = {.fill = *value};
  }
}

void OutputVariables::connect(OutputVariable& output_variable) {
  if (!output_variable.has_no_samples())
    of_field_[base::index(output_variable.accumulated)].push_back(&output_variable);
  if (output_variable.regridded == Regridded::no) return;
  const plan::DatasetPlan& file = blueprint_.plan.files[output_variable.file];
  const auto& layouts = blueprint_.layouts[output_variable.file].variables;
  const plan::VariablePlan& plan = file.variables[base::index(layouts[output_variable.variable].plan)];
  const plan::RegridPlan& regrid = blueprint_.plan.regridding->regrids[base::index(plan.regrid)];
  const auto of_plan = [this](std::size_t in, int variable) {
    for (const auto& other : variables_)
      if (other->file == in && blueprint_.layouts[in].variables[other->variable].plan == variable)
        return other.get();
    base::assertion_failed("of_plan", __FILE__, __LINE__, "a planned variable has a layout");
  };
  if (output_variable.regridded == Regridded::per_sample)
    for (const plan::RegridPlan& one : blueprint_.plan.regridding->regrids)  // itself, and children
      if (one.target_field == regrid.target_field)
        regridded_from_[base::index(one.source_field)].push_back(&output_variable);
  if (output_variable.regridded == Regridded::companion)
    of_plan(output_variable.file, plan.fraction_of)->companion = &output_variable;
  if (output_variable.regridded == Regridded::coarsened)
    of_plan(base::index(plan.finer.file), plan.finer.variable)->coarser.push_back(&output_variable);
}

void OutputVariables::start(std::span<const int> clients) {
  for (const auto& output_variables : of_field_) is_sampled_.push_back(output_variables.empty() ? 0 : 1);
  for (const auto& output_variable : variables_) {
    // Diagnostics and regridding call expect() for the clients whose values are computed here.
    if ((output_variable->file_axis < 0 && !output_variable->once) || output_variable->diagnostic ||
        output_variable->regridded == Regridded::per_sample)
      continue;
    for (const int client : clients)
      if (blueprint_.sends(output_variable->accumulated, client)) expect(*output_variable, client);
  }
  // Regridding gives every sample: a missing one has missing cells.
  const auto is_put = [](const OutputVariable* output_variable) {
    return output_variable->regridded != Regridded::per_sample;
  };
  optional_fields_.emplace(
      blueprint_, [&](int field) { return std::ranges::any_of(of_field(field), is_put); }, clients);
}

void OutputVariables::begin_step(const model::Tick& tick) {
  close_step();
  tick_ = tick;
  step_closed_ = false;
  axes_.advance(tick);
}

void OutputVariables::end_files() { axes_.end_files_of_model(); }

// Only the leader knows their names, and only Commits need them. Here any name says that a file is open.
void OutputVariables::begin_files(bool is_open) {
  for (std::size_t file = 0; file < blueprint_.plan.files.size(); ++file)
    if (blueprint_.plan.files[file].entry.is_opened_by_model) axes_.name_file(file, is_open ? "open" : "");
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
      receivers_.emit(*output_variable, client, {}, payload);
  }
  optional_fields_->note_put(header.number, client);
}

void OutputVariables::fold(OutputVariable& output_variable, int client, std::span<const std::byte> values,
                           const std::vector<time::Share>& shares) {
  for (const time::Share& share : shares) {
    time::Accumulator* const folded =
        accumulator(output_variable, output_variable.window_of(share.record), client);
    if (folded == nullptr) {
      if (share.closes) pass_on(output_variable, client, share.record, values);
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
  std::vector<std::byte> values(cells_of(output_variable, client) *
                                model::size_of(output_variable.record_type.type));
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
  time::Accumulator* const folded = accumulator(output_variable, output_variable.window_of(record), client);
  const bool is_empty = folded == nullptr || folded->empty();
  if (is_empty && output_variable.regridded == Regridded::per_record)
    return pass_on(output_variable, client, record, {});
  std::vector<std::byte> values(cells_of(output_variable, client) *
                                model::size_of(output_variable.record_type.type));
  if (is_empty)
    base::fill_with(output_variable.fill, values);
  else if (const time::Lost lost = folded->finish(values); lost.values > 0)
    receivers_.lose(output_variable, record, lost);
  pass_on(output_variable, client, record, values);
}

void OutputVariables::pass_on(const OutputVariable& output_variable, int client,
                              const time::TimeRecord& record, std::span<const std::byte> values) const {
  const bool is_source = output_variable.regridded == Regridded::per_record;
  (is_source ? receivers_.emit_source : receivers_.emit)(output_variable, client, record, values);
}

void OutputVariables::emit_regridded(const OutputVariable& output_variable, int client,
                                     const time::TimeRecord& record, std::span<const std::byte> values) {
  const time::Stored& made = output_variable.record_type;
  if (made.type == output_variable.output && !output_variable.packing &&
      made.fill == output_variable.fill_value)
    return receivers_.emit(output_variable, client, record, values);
  const std::size_t cells = values.size() / model::size_of(made.type);
  const auto store =
      time::make_accumulator(time::ReductionKind::snapshot, made.type, output_variable.stored(), cells,
                             time::Missing{.fill = made.fill});
  store->combine(values, 1.0);
  std::vector<std::byte> stored(cells * output_variable.fill.size());
  if (const time::Lost lost = store->finish(stored); lost.values > 0)
    receivers_.lose(output_variable, record, lost);
  receivers_.emit(output_variable, client, record, stored);
}

void OutputVariables::emit_coarsened(const OutputVariable& output_variable, int client,
                                     const time::TimeRecord& record, std::span<const double> values,
                                     std::span<const bool> valid) {
  std::vector<std::byte> stored(values.size() * output_variable.fill.size());
  const time::Lost lost = time::store(output_variable.stored(), values, valid, stored.data());
  if (lost.values > 0) receivers_.lose(output_variable, record, lost);
  receivers_.emit(output_variable, client, record, stored);
}

// The accumulators of fields are all made in start(), so that workers only look them up.
time::Accumulator* OutputVariables::accumulator(const OutputVariable& output_variable, Accumulators& window,
                                                int client) {
  if (output_variable.copies) return nullptr;
  if (time::Accumulator* const found = window.find(client)) return found;
  const std::size_t cells = cells_of(output_variable, client);
  auto made = time::make_accumulator(output_variable.reduction, output_variable.input,
                                     output_variable.record_type, cells, output_variable.missing);
  for (const time::KeptArray& kept : made->kept_arrays()) bytes_ += cells * model::size_of(kept.type);
  return &window.add(client, std::move(made));
}

std::size_t OutputVariables::cells_of(const OutputVariable& output_variable, int client) const {
  return static_cast<std::size_t>(
      blueprint_.region(blueprint_.field(output_variable.accumulated).grid, client).size());
}

OutputVariableState OutputVariables::state_of(const OutputVariable& output_variable,
                                              std::size_t window) const {
  const plan::DatasetPlan& file = blueprint_.plan.files[output_variable.file];
  const int planned = blueprint_.layouts[output_variable.file].variables[output_variable.variable].plan;
  const int grid = blueprint_.field(output_variable.accumulated).grid;
  const bool may_lack_samples = output_variable.diagnostic || output_variable.at_end ||
                                blueprint_.plan.fields[base::index(output_variable.accumulated)].optional;
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
