#include "pipeline/sampling/streams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/bytes.hpp"
#include "plan/analysis.hpp"

namespace tailrace::pipeline::sampling {
namespace {

// Of what is put once.
const std::vector<time::Share> the_only_sample{
    {.record = {}, .weight = 1.0, .fraction = 1.0, .closes = true}};

std::vector<std::byte> fill_bytes(const output::VariableSpec& spec) {
  return model::dispatch(spec.type, [&](auto zero) {
    const auto value = static_cast<decltype(zero)>(spec.fill_value.value_or(0.0));
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  });
}

}  // namespace

Streams::Streams(const Blueprint& blueprint, Emit emit, Lose lose)
    : blueprint_(blueprint),
      emit_(std::move(emit)),
      lose_(std::move(lose)),
      axes_(blueprint.plan, blueprint.info.begin),
      of_field_(blueprint.info.declarations.fields.size()) {
  for (std::size_t f = 0; f < blueprint.layouts.size(); ++f) {
    for (std::size_t v = 0; v < blueprint.layouts[f].variables.size(); ++v) {
      streams_.push_back(make_stream(f, v));
      of_field_[static_cast<std::size_t>(streams_.back()->field)].push_back(streams_.back().get());
    }
  }
}

std::unique_ptr<Stream> Streams::make_stream(std::size_t file, std::size_t variable) const {
  const cf::VariableLayout& layout = blueprint_.layouts[file].variables[variable];
  const output::VariableSpec& spec =
      blueprint_.layouts[file].dataset.variables[static_cast<std::size_t>(layout.variable)];
  auto stream = std::make_unique<Stream>();
  stream->number = streams_.size();
  stream->file = file;
  stream->variable = variable;
  stream->field = layout.field;
  stream->input = blueprint_.field(layout.field).type;
  stream->output = spec.type;
  stream->fill_value = spec.fill_value.value_or(0.0);
  stream->fill = fill_bytes(spec);
  if (const auto fill = blueprint_.field(layout.field).fill_value) stream->missing = {.fill = *fill};
  if (layout.plan >= 0) {
    const plan::FilePlan& in = blueprint_.plan.files[file];
    const plan::VariablePlan& plan = in.variables[static_cast<std::size_t>(layout.plan)];
    stream->reduction = plan.reduction;
    stream->packing = plan.packing;
    if (stream->missing) stream->missing->propagates = plan.propagates_missing;
    stream->file_axis = plan.axis;
    stream->once = plan.axis < 0;
    if (!stream->once) {
      stream->axis = axes_.number(file, static_cast<std::size_t>(plan.axis));
      const time::AxisRule rule = in.axes[static_cast<std::size_t>(plan.axis)].rule();
      stream->further_windows.resize(static_cast<std::size_t>(rule.turns()) - 1);
      stream->at_end = rule.kind == time::AxisKind::at_end || rule.also_at_end;
    }
  }
  stream->copies = stream->changes_nothing();
  const auto& analysis = blueprint_.plan.analysis;
  stream->diagnostic = analysis && std::ranges::count(analysis->field_of_diagnostic, layout.field) > 0;
  return stream;
}

void Streams::start(std::span<const int> clients) {
  for (const auto& streams : of_field_) is_sampled_.push_back(streams.empty() ? 0 : 1);
  for (const auto& stream : streams_) {
    // Those of diagnostics are made with their first value, where that is.
    if ((stream->file_axis < 0 && !stream->once) || stream->diagnostic) continue;
    for (const int client : clients)
      if (blueprint_.sends(stream->field, client)) expect(*stream, client);
  }
  optional_fields_.emplace(
      blueprint_, [this](int field) { return !of_field(field).empty(); }, clients);
}

void Streams::begin_step(const model::Tick& tick) {
  close_step();
  tick_ = tick;
  step_closed_ = false;
  axes_.advance(tick);
}

void Streams::end_of_input() {
  if (tick_.step == model::static_step) step_closed_ = false;  // no step: what was to be put once is missing
  close_step();
}

void Streams::close_step() {
  if (std::exchange(step_closed_, true)) return;
  optional_fields_->close_step(tick_, [this](int field, int client) {
    bool left_a_gap = false;
    for (Stream* stream : of_field(field)) {
      const auto& shares = stream->once ? the_only_sample : axes_.shares(stream->axis);
      skip(*stream, client, shares);
      const auto is_due = [&](const time::Share& share) { return share.closes || !stream->at_end; };
      left_a_gap = left_a_gap || std::ranges::any_of(shares, is_due);
    }
    return left_a_gap;
  });
}

void Streams::accept(int client, const model::PacketHeader& header, std::span<const std::byte> payload) {
  if (is_sampled_[static_cast<std::size_t>(header.number)] == 0) return;
  for (Stream* stream : of_field(header.number)) {
    if (header.step != model::static_step)
      fold(*stream, client, payload, axes_.shares(stream->axis));
    else if (stream->once)
      fold(*stream, client, payload, the_only_sample);
    else
      emit_(*stream, client, 0, payload);
  }
  optional_fields_->note_put(header.number, client);
}

void Streams::fold(Stream& stream, int client, std::span<const std::byte> values,
                   const std::vector<time::Share>& shares) {
  for (const time::Share& share : shares) {
    time::Accumulator* const folded = accumulator(stream, stream.window_of(share.record), client);
    if (folded == nullptr) {
      if (share.closes) emit_(stream, client, share.record.index, values);
      continue;
    }
    folded->combine(values, share.weight, share.fraction);
    if (share.closes) close(stream, client, share.record);
  }
}

void Streams::skip(Stream& stream, int client, const std::vector<time::Share>& shares) {
  for (const time::Share& share : shares) {
    if (!share.closes) continue;
    if (stream.at_end) forget(stream, client, share.record);
    close(stream, client, share.record);
  }
}

// What came for the end of the run, which it was not.
void Streams::forget(Stream& stream, int client, const time::TimeRecord& record) {
  time::Accumulator* const folded = accumulator(stream, stream.window_of(record), client);
  std::vector<std::byte> values(cells_of(stream, client) * stream.fill.size());
  if (!folded->empty()) folded->finish(values);
}

void Streams::finish(Stream& stream, const plan::AxisBank& axes) {
  if (stream.file_axis < 0 || stream.copies) return;
  for (const time::TimeRecord& record : axes.axis(stream.axis).last_records())
    for (const auto& [client, accumulator] : stream.window_of(record)) close(stream, client, record);
}

// A record without a single sample holds the fill value.
void Streams::close(Stream& stream, int client, const time::TimeRecord& record) {
  std::vector<std::byte> values(cells_of(stream, client) * stream.fill.size());
  time::Accumulator* const folded = accumulator(stream, stream.window_of(record), client);
  if (folded == nullptr || folded->empty())
    base::fill_with(stream.fill, values);
  else if (const time::Lost lost = folded->finish(values); lost.values > 0)
    lose_(stream, record, lost);
  emit_(stream, client, record.index, values);
}

// Those of fields are all made in start(), since workers then only look them up.
time::Accumulator* Streams::accumulator(const Stream& stream, Accumulators& window, int client) {
  if (stream.copies) return nullptr;
  if (time::Accumulator* const found = window.find(client)) return found;
  const std::size_t cells = cells_of(stream, client);
  auto made = time::make_accumulator(stream.reduction, stream.input, stream.stored(), cells, stream.missing);
  for (const time::KeptArray& kept : made->kept_arrays()) bytes_ += cells * model::size_of(kept.type);
  return &window.add(client, std::move(made));
}

std::size_t Streams::cells_of(const Stream& stream, int client) const {
  return static_cast<std::size_t>(blueprint_.region(blueprint_.field(stream.field).grid, client).size());
}

StreamState Streams::state_of(const Stream& stream, std::size_t window) const {
  const plan::FilePlan& file = blueprint_.plan.files[stream.file];
  const int planned = blueprint_.layouts[stream.file].variables[stream.variable].plan;
  const int grid = blueprint_.field(stream.field).grid;
  const bool may_lack_samples = stream.diagnostic || stream.at_end ||
                                blueprint_.plan.fields[static_cast<std::size_t>(stream.field)].optional;
  const std::string of_cycle = stream.windows() == 1 ? "" : fmt::format("{}/", window);
  return {fmt::format("files/{}/{}/{}", file.entry.path,
                      file.variables[static_cast<std::size_t>(planned)].name, of_cycle),
          blueprint_.info.declarations.grids[static_cast<std::size_t>(grid)],
          blueprint_.info.decomposition.regions[static_cast<std::size_t>(grid)], may_lack_samples};
}

void Streams::save(model::StateSaver& saver) const {
  axes_.save(model::NumberSaver(saver, "axes/"));
  model::NumberSaver streams(saver, "streams/");
  streams("step", tick_.step);
  streams("time", tick_.time);
  save_windows(saver);
}

void Streams::save_windows(model::StateSaver& saver) const {
  for (const auto& stream : streams_)
    for (std::size_t window = 0; stream->file_axis >= 0 && window < stream->windows(); ++window)
      state_of(*stream, window).save(saver, stream->window(window));
}

void Streams::load(const model::StateLoader& loader) {
  axes_.load(model::NumberLoader(loader, "axes/"));
  model::NumberLoader streams(loader, "streams/");
  streams("step", tick_.step);
  streams("time", tick_.time);
  step_closed_ = true;
  for (const auto& stream : streams_)
    for (std::size_t window = 0; stream->file_axis >= 0 && !blueprint_.plan.files[stream->file].is_unsaved &&
                                 window < stream->windows();
         ++window)
      state_of(*stream, window).load(loader, stream->window(window));
}

}  // namespace tailrace::pipeline::sampling
