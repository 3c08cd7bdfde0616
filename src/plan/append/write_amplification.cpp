#include "plan/append/write_amplification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/index.hpp"

namespace tailrace::plan::writing {
namespace {

constexpr double wasteful = 0.3;  // bytes of headers for each byte of values

std::optional<double> values_of_commit(const model::Declarations& declarations, const DatasetPlan& file) {
  double bytes = 0.0;
  for (const VariablePlan& variable : file.variables) {
    if (variable.axis < 0) continue;  // written once
    const auto records = records_per_commit(file, variable);
    if (!records) return std::nullopt;
    const int grid = declarations.fields[base::index(variable.field)].grid;
    const std::int64_t cells = grid < 0 ? 1 : declarations.grids[base::index(grid)].size();
    bytes += *records * static_cast<double>(cells) * static_cast<double>(model::size_of(variable.type));
  }
  return bytes;
}

std::optional<std::string> small_commits(const model::Declarations& declarations, const DatasetPlan& file) {
  const auto values = values_of_commit(declarations, file);
  const output::Format* format = file.entry.writer();
  if (format == nullptr) return std::nullopt;
  const double headers = format->commit_overhead(file.variables.size());
  if (!values || *values <= 0.0 || headers <= wasteful * *values) return std::nullopt;
  const double longer = std::ceil(headers / wasteful / *values);
  return fmt::format(
      "a commit {} brings {:.0f} bytes of values and writes some {:.0f} of headers; expected a "
      "period {:.0f} times as long, or none: small commits then wait for each other",
      file.entry.write_every.sentence(), *values, headers, longer);
}

// The fate of chunks that several commits fill.
constexpr const char* what_it_costs = "until then they take their full size, and are written twice";

// Chunks whose shape is chosen are made to fit commits of whole records.
std::optional<std::string> partly_filled(const DatasetPlan& file, const VariablePlan& variable) {
  if (variable.codec.codec == "none" || file.entry.series) return std::nullopt;
  const auto records = records_per_commit(file, variable);
  if (variable.chunk.empty()) {
    const bool fits = records && std::fmod(*records, 1.0) == 0.0;
    if (file.entry.access != settings::Access::series || fits) return std::nullopt;
    return fmt::format(
        "chunks of \"{}\" hold many records and are compressed when they are full; {}; expected "
        "commits of several records, which chunks are then made to fit",
        variable.name, what_it_costs);
  }
  const auto room = static_cast<double>(variable.chunk.front());
  if (!records || std::fmod(*records, room) == 0.0) return std::nullopt;
  return fmt::format(
      "chunks of \"{}\" hold {:.0f} records and are compressed when they are full, but a commit {} "
      "brings {:g}; {}; expected commits of whole chunks",
      variable.name, room, file.entry.write_every.sentence(), *records, what_it_costs);
}

std::optional<std::string> partly_filled(const DatasetPlan& file) {
  for (const VariablePlan& variable : file.variables)
    if (variable.axis >= 0)
      if (auto what = partly_filled(file, variable)) return what;
  return std::nullopt;
}

}  // namespace

std::optional<double> records_per_commit(const DatasetPlan& file, const VariablePlan& variable) {
  if (variable.axis < 0) return std::nullopt;
  const time::Period& commits = file.entry.write_every;
  const AxisPlan& axis = file.axes[base::index(variable.axis)];
  const time::Period& records = axis.every;
  if (axis.cycle != time::Cycle::none) return std::nullopt;
  if (file.entry.gathers || commits.is_never() || records.is_never() || commits.kind() != records.kind())
    return std::nullopt;
  const bool seconds = records.kind() == time::PeriodKind::seconds;
  const double times = seconds ? commits.seconds() / records.seconds()
                               : static_cast<double>(commits.count()) / static_cast<double>(records.count());
  return std::max(times, 1.0);
}

void tell_waste(const model::Declarations& declarations, Plan& plan) {
  for (const DatasetPlan& file : plan.files) {
    const config::Location& where =
        file.entry.write_every_location.line > 0 ? file.entry.write_every_location : file.entry.location;
    for (const auto& what : {small_commits(declarations, file), partly_filled(file)})
      if (what)
        plan.details.push_back(
            fmt::format("{}  output.{}.write_every: {}", where.text(), file.entry.path, *what));
  }
}

}  // namespace tailrace::plan::writing
