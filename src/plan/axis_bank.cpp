#include "plan/axis_bank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/decimal_text.hpp"
#include "base/index.hpp"
#include "plan/model_clock.hpp"

namespace tailrace::plan {
namespace {

const std::vector<time::Share> no_shares;
constexpr const char* clock_name = "clock";

std::string name_of(const AxisPlan& axis) {
  static constexpr std::array kinds{"instant", "window", "whole_samples", "at_end"};
  const bool is_standard = axis.convention == &time::standard_convention();
  std::string name =
      fmt::format("{}_{}_of_{}", kinds[base::index(axis.kind)], axis.every.name(), axis.cadence.name());
  if (!is_standard) name += fmt::format("_{}", axis.convention->name());
  if (axis.also_at_end) name += "_and_end";
  if (axis.cycle != time::Cycle::none) name += axis.cycle == time::Cycle::year ? "_each_year" : "_each_day";
  if (axis.span.from != time::Span().from)
    name += fmt::format("_from_{}", base::decimal_text(axis.span.from));
  if (axis.span.until != time::Span().until)
    name += fmt::format("_until_{}", base::decimal_text(axis.span.until));
  return name;
}

}  // namespace

std::string axis_state_name(const DatasetPlan& file, const AxisPlan& axis) {
  return fmt::format("{}/{}", file.entry.path, name_of(axis));
}

std::optional<time::ClockState> saved_clock(const model::NumberLoader& loader) {
  if (!loader.has(clock_name + std::string("/set_at"))) return std::nullopt;
  time::ClockState state;
  time::visit_clock(state, loader.in(clock_name));
  return state;
}

AxisBank::AxisBank(const Plan& plan, const model::Tick& begin_of_model)
    : clock_(make_clock(plan, plan.calendar, begin_of_model)), tick_(clock_.begin()) {
  const model::Tick& begin = clock_.begin();
  struct Known {
    AxisPlan axis;
    bool is_shared;
  };
  std::vector<Known> known;
  for (const DatasetPlan& file : plan.files) {
    std::vector<std::size_t> numbers;
    Part part;
    part.name = fmt::format("series/{}", file.entry.path);
    part.is_unsaved = file.is_unsaved;
    for (const AxisPlan& axis : file.axes) {
      part.units.push_back(axis.chunk_alignment);
      part.axis_names.push_back(axis_state_name(file, axis));
      // An axis that is numbered by files belongs to one file, or to files of equal lengths. Files with saved
      // state continue from their own place.
      const bool is_shared = axis.chunk_alignment == 1 && !file.restored && !file.is_unsaved;
      const auto same = std::find_if(known.begin(), known.end(), [&](const Known& other) {
        return is_shared && other.is_shared && other.axis.has_records_of(axis) &&
               other.axis.continued == axis.continued;
      });
      numbers.push_back(static_cast<std::size_t>(same - known.begin()));
      if (same != known.end()) continue;
      known.push_back({axis, is_shared});
      axes_.emplace_back(axis.rule(), plan.calendar, begin, axis.continued);
    }
    if (file.entry.has_many_files()) part.clock.emplace(file, plan.calendar, begin);
    part.begins.assign(numbers.size(), 0);
    parts_.push_back(std::move(part));
    numbers_.push_back(std::move(numbers));
  }
  shares_.assign(axes_.size(), &no_shares);
}

const SeriesClock* AxisBank::series(std::size_t file) const {
  return parts_[file].clock ? &*parts_[file].clock : nullptr;
}

void AxisBank::advance(const model::Tick& tick) {
  tick_ = clock_.read(tick);
  for (std::size_t i = 0; i < axes_.size(); ++i) shares_[i] = &axes_[i].advance(tick_);
  for (std::size_t file = 0; file < parts_.size(); ++file) {
    Part& part = parts_[file];
    part.ended = part.clock && part.clock->ends(tick_);
    if (part.ended) end_file(file);
  }
}

void AxisBank::end_files_of_model() {
  for (std::size_t file = 0; file < parts_.size(); ++file)
    if (parts_[file].clock && parts_[file].clock->is_of_model()) end_file(file);
}

void AxisBank::end_file(std::size_t file) {
  Part& part = parts_[file];
  for (std::size_t axis = 0; axis < part.begins.size(); ++axis)
    part.begins[axis] = axes_[number(file, axis)].begin_file(part.units[axis], part.clock->next_from());
}

void AxisBank::save(model::NumberSaver saver) const {
  time::visit_clock(clock_.state(), saver.in(clock_name));
  for (std::size_t file = 0; file < parts_.size(); ++file) {
    const Part& part = parts_[file];
    for (std::size_t axis = 0; axis < part.axis_names.size(); ++axis)
      time::Axis::visit_state(axes_[number(file, axis)], saver.in(part.axis_names[axis]));
    if (part.clock) SeriesClock::visit_state(*part.clock, saver.in(part.name));
  }
}

void AxisBank::load(model::NumberLoader loader) {
  if (const auto state = saved_clock(loader)) clock_.restore(*state);
  for (std::size_t file = 0; file < parts_.size(); ++file) {
    Part& part = parts_[file];
    if (part.is_unsaved) continue;
    for (std::size_t axis = 0; axis < part.axis_names.size(); ++axis)
      time::Axis::visit_state(axes_[number(file, axis)], loader.in(part.axis_names[axis]));
    if (part.clock) SeriesClock::visit_state(*part.clock, loader.in(part.name));
  }
}

}  // namespace tailrace::plan
