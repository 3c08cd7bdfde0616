#include "pipeline/sampling/out_of_range.hpp"

#include <fmt/format.h>

#include "base/index.hpp"
#include "base/log.hpp"

namespace tailrace::pipeline::sampling {
namespace {

std::string range_of(const OutputVariable& output_variable) {
  if (!output_variable.packing) return "";
  return fmt::format(" with scale_factor {} and add_offset {}", output_variable.packing->scale_factor,
                     output_variable.packing->add_offset);
}

}  // namespace

// Fills by_number_ in the order of the output variables' numbers.
OutOfRange::OutOfRange(const Blueprint& blueprint, telemetry::ServerCounters& counters)
    : blueprint_(blueprint) {
  const base::MutexLock lock(mutex_);
  for (std::size_t f = 0; f < blueprint.layouts.size(); ++f) {
    const plan::DatasetPlan& file = blueprint.plan.files[f];
    for (const cf::VariableLayout& variable : blueprint.layouts[f].variables) {
      by_number_.push_back(nullptr);
      if (variable.plan < 0) continue;
      const plan::VariablePlan& plan = file.variables[base::index(variable.plan)];
      telemetry::OutOfRange& counted = counters.out_of_range.emplace_back();
      counted.path = file.entry.path;
      counted.variable = plan.name;
      counted.type = model::name_of(plan.type);
      by_number_.back() = &counted;
    }
  }
}

void OutOfRange::add(const OutputVariable& output_variable, const time::TimeRecord& record,
                     const time::Lost& lost) {
  const base::MutexLock lock(mutex_);
  telemetry::OutOfRange& counted = *by_number_[output_variable.number];
  if (counted.values == 0) warn(output_variable, record, lost);
  counted.add(lost.values, record.end);
}

void OutOfRange::warn(const OutputVariable& output_variable, const time::TimeRecord& record,
                      const time::Lost& lost) const {
  const plan::DatasetPlan& file = blueprint_.plan.files[output_variable.file];
  const cf::VariableLayout& layout =
      blueprint_.layouts[output_variable.file].variables[output_variable.variable];
  const bool equals_fill = !output_variable.packing && lost.first == output_variable.fill_value.number;
  base::log_warning(fmt::format(
      "{}: \"{}\" has {} value{} at {} s, such as {}, that {}. Further ones are counted, and reported at the "
      "end "
      "of the run",
      file.entry.path, file.variables[base::index(layout.plan)].name, lost.values,
      lost.values == 1 ? "" : "s", record.end, lost.first,
      equals_fill ? "equal the fill value, so readers take them for missing; another fill_value of the field "
                    "avoids this"
                  : fmt::format("{}{} cannot represent; they are replaced by the fill value",
                                model::name_of(output_variable.output), range_of(output_variable))));
}

}  // namespace tailrace::pipeline::sampling
