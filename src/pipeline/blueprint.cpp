#include "pipeline/blueprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/index.hpp"
#include "model/holes.hpp"
#include "model/parts.hpp"
#include "plan/analysis.hpp"
#include "plan/naming/apply_overrides.hpp"
#include "plan/regridding.hpp"
#include "plan/restart/restored.hpp"
#include "plan/series_clock.hpp"
#include "sinks/make_sink.hpp"

namespace tailrace::pipeline {
namespace {

// Sets the chunk alignment of each axis, the least common multiple of the chunk lengths along it: a new file
// of a series must begin at a chunk boundary of every variable.
void set_units(plan::DatasetPlan& file, const cf::DatasetLayout& layout) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  for (const cf::VariableLayout& variable : layout.variables) {
    if (variable.plan < 0) continue;
    const int axis = file.variables[base::index(variable.plan)].axis;
    if (axis < 0) continue;
    std::int64_t& unit = file.axes[base::index(axis)].chunk_alignment;
    const std::int64_t times = variable.records_per_chunk / std::gcd(unit, variable.records_per_chunk);
    if (times > most / unit)
      throw Error(
          ErrorCode::configuration,
          fmt::format(
              "{}  output.{}: each new file must begin at a chunk boundary of all variables, but their "
              "chunk lengths along time have no small common multiple; choose lengths that do",
              file.entry.location.text(), file.entry.path));
    unit *= times;
  }
}

// A file has one fill value for each variable, so the records that are added use that of the earlier run:
// another version of Tailrace or of the model may choose differently.
void keep_fills(output::DatasetSpec& dataset, const plan::ExistingFills& existing) {
  for (output::VariableSpec& variable : dataset.variables) {
    const auto found = existing.find(variable.name);
    if (!variable.is_field || !variable.fill_value || found == existing.end()) continue;
    model::dispatch(variable.type, [&](auto sample) {
      using T = decltype(sample);
      const T there = found->second.as<T>(), here = variable.fill_value->as<T>();
      const bool same = there == here || (there != there && here != here);
      if (!same && model::can_hold(variable.type, found->second.number)) variable.fill_value = found->second;
    });
  }
}

ComponentInfo apply_overrides(ComponentInfo info) {
  info.declarations = plan::apply_overrides(info.configuration, std::move(info.declarations));
  info.decomposition = model::with_holes(info.declarations, std::move(info.decomposition));
  return info;
}

}  // namespace

Blueprint::Blueprint(ComponentInfo given)
    : info(apply_overrides(std::move(given))),
      plan(plan::make_plan(info.configuration, info.declarations, &info.decomposition)) {
  parts_ = model::parts_by_rank(info.decomposition);
  if (info.memory == 0) info.memory = info.configuration.servers.memory;
  if (plan.analysis) {
    info.decomposition = plan::with_diagnostics(*plan.analysis, info.decomposition);
    info.declarations = plan.analysis->declarations;
  }
  if (plan.regridding) {
    info.decomposition = plan::with_regridding(*plan.regridding, info.decomposition);
    info.declarations = plan.regridding->declarations;
  }
  plan::go_on(plan, info.continued);
  if (info.saved) plan::mark_restored(plan, *info.saved);
  for (plan::DatasetPlan& file : plan.files) {
    layouts.push_back(
        cf::make_layout(file, info.configuration, info.declarations, info.decomposition, info.history));
    output::DatasetSpec& dataset = layouts.back().dataset;
    dataset.if_exists = settings::if_exists(file.entry, info.begin.time);
    if (file.entry.has_many_files()) set_units(file, layouts.back());
    if (!file.entry.has_many_files() || file.continues)
      dataset.path = plan::first_path(file, plan.calendar, info.begin);
    if (file.restored) {
      dataset.if_exists = output::IfExists::replace;
      if (!file.restored->is_empty && !file.entry.has_many_files())
        dataset.kept = layouts.back().kept(file.restored->records);
    }
    if (const std::size_t number = layouts.size() - 1; number < info.fills.size())
      keep_fills(dataset, info.fills[number]);
    if (file.continues)
      for (std::size_t axis = 0; axis < file.axes.size(); ++axis)
        dataset.kept[layouts.back().axes[axis].dim] = file.axes[axis].continued.records;
    // Servers that write side by side must know before the first chunk which chunks share a file.
    if (!dataset.kept.empty() && sinks::is_written_by_many(file))
      dataset.options = file.entry.writer()->options_to_continue(dataset);
  }
}

std::vector<int> Blueprint::parts_of(std::span<const int> clients) const {
  if (!has_further_parts()) return {clients.begin(), clients.end()};
  std::vector<int> parts;
  for (const int client : clients)
    parts.insert(parts.end(), parts_of(client).begin(), parts_of(client).end());
  std::ranges::sort(parts);
  return parts;
}

bool Blueprint::holds(int grid, int part) const {
  const model::GridKind kind = info.declarations.grids[base::index(grid)].kind;
  const bool is_divided = kind == model::GridKind::block || kind == model::GridKind::indexed;
  return is_divided || static_cast<std::size_t>(part) < info.decomposition.ranks();
}

bool Blueprint::sends(int index, int part) const {
  const int grid = field(index).grid;
  if (info.declarations.grids[base::index(grid)].kind == model::GridKind::replicated) return part == 0;
  return holds(grid, part) && region(grid, part).size() > 0;
}

}  // namespace tailrace::pipeline
