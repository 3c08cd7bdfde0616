#include "plan/restart/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string_view>

#include "analytics/engine/operator_state/call_text.hpp"
#include "base/index.hpp"
#include "codecs/lossy/keep.hpp"
#include "config/problems.hpp"
#include "plan/analysis.hpp"
#include "plan/axis_bank.hpp"
#include "plan/regridding.hpp"

namespace tailrace::plan {
namespace {

using Lines = std::set<std::string>;

std::string describe_grid(const model::Grid& grid) {
  std::string text;
  for (std::size_t d = 0; d < grid.dims.size(); ++d)
    text += fmt::format("{}{}={}", d == 0 ? "" : ", ", grid.dims[d], grid.shape[d]);
  const char* kind = grid.kind == model::GridKind::partial ? "partial " : "";
  return fmt::format("{}({})", kind, text);
}

std::string describe(const analytics::Memory& memory) {
  std::string dims;
  for (const analytics::Dim& dim : memory.dims)
    dims += fmt::format("{}{}={}", dims.empty() ? "" : ", ", dim.name, dim.extent);
  return fmt::format("{} {}({})", memory.name, model::name_of(memory.type), dims);
}

// The state of a diagnostic's operators that remember earlier steps; empty if none does.
std::string describe_memories(const analytics::Graph& graph, int node) {
  std::vector<bool> needed(static_cast<std::size_t>(node) + 1, false);
  needed.back() = true;
  Lines calls;
  for (std::size_t n = needed.size(); n-- > 0;) {
    if (!needed[n]) continue;
    for (const int argument : graph.nodes[n].args) needed[base::index(argument)] = true;
    std::string kept;
    for (const analytics::Memory& memory : analytics::memories_of(graph.nodes[n]))
      kept += (kept.empty() ? "" : ", ") + describe(memory);
    if (!kept.empty())
      calls.insert(fmt::format("; {} remembers {}",
                               analytics::engine::operator_state::call_text(graph, static_cast<int>(n)),
                               kept));
  }
  std::string text;
  for (const std::string& call : calls) text += call;
  return text;
}

std::string describe_memories_of_source(const Plan& plan, int field) {
  if (!plan.analysis) return {};
  const std::vector<int>& fields = plan.analysis->field_of_diagnostic;
  const auto found = std::ranges::find(fields, field);
  if (found == fields.end()) return {};
  const analytics::Graph& graph = plan.analysis->graph;
  return describe_memories(graph, graph.diagnostics[base::index(found - fields.begin())].node);
}

std::string describe_memories(const Plan& plan, const VariablePlan& variable) {
  std::string text;
  for (const int source : sources_of(plan, variable.field)) text += describe_memories_of_source(plan, source);
  return text;
}

// Windows are parts of the state, so it matters whether they are on the grid of the source or of the target.
std::string describe_regridding(const Plan& plan, const VariablePlan& variable) {
  if (variable.regrid < 0) return "";
  const RegridPlan& regrid = plan.regridding->regrids[base::index(variable.regrid)];
  const char* stage = regrid.stage == Stage::per_sample ? ", each sample" : "";
  return fmt::format("; on {}{}", text_of(*plan.regridding, regrid), stage);
}

// A file states one bound on the errors of all its records.
std::string describe_keep(const VariablePlan& variable) {
  if (!variable.codec.keep || variable.packing) return "";
  return fmt::format("; kept: {}", codecs::lossy::words(*variable.codec.keep));
}

std::string describe_variable(const Plan& plan, const DatasetPlan& file, const VariablePlan& variable) {
  std::string axis = "once";
  if (variable.axis >= 0) {
    const std::string name = axis_state_name(file, file.axes[base::index(variable.axis)]);
    axis = name.substr(file.entry.path.size() + 1);
  }
  return fmt::format("{}: {} of {}, {}, as {}{}{}{}", variable.name, time::name_of(variable.reduction),
                     variable.field_name, axis, model::name_of(variable.type),
                     describe_memories(plan, variable), describe_regridding(plan, variable),
                     describe_keep(variable));
}

std::string describe_file(const Plan& plan, const DatasetPlan& file) {
  Lines lines;
  for (const VariablePlan& variable : file.variables) lines.insert(describe_variable(plan, file, variable));
  if (file.entry.layout == settings::Layout::wrf) lines.insert("layout: wrf");
  if (file.entry.series) lines.insert("a file per write");
  if (file.entry.new_file_every) lines.insert("a new file every " + file.entry.new_file_every->sentence());
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.insert(line);
  return lines;
}

std::string first_missing(const Lines& of, const Lines& in) {
  for (const std::string& line : of)
    if (!in.contains(line)) return line;
  return {};
}

void compare_file(const Plan& plan, const DatasetPlan& file, const std::string& saved,
                  config::Problems& problems) {
  const std::string now = describe_file(plan, file);
  if (now == saved) return;
  const Lines mine = lines_of(now), theirs = lines_of(saved);
  const std::string added = first_missing(mine, theirs), gone = first_missing(theirs, mine);
  std::string what;
  if (!added.empty()) what += fmt::format(" it has \"{}\", which was not so before;", added);
  if (!gone.empty()) what += fmt::format(" it had \"{}\";", gone);
  problems.add(
      file.entry.location, "output." + file.entry.path,
      fmt::format("the file is to go on from the checkpoint, but{} expected what the file was made of "
                  "before, or another path, which begins a new file",
                  what));
}

}  // namespace

std::map<std::string, std::string> describe_for_restart(const Plan& plan,
                                                        const model::Declarations& declarations) {
  std::map<std::string, std::string> all;
  all["model_time"] =
      plan.calendar.units() + (plan.calendar.has_months() ? ", calendar " + plan.calendar.cf_name() : "");
  // The grids and fields that regridding adds are described with the variables.
  const auto is_of_model = [&](const model::Grid& grid) { return !grid.name.starts_with(regridded_grid); };
  for (const model::Grid& grid : declarations.grids)
    if (is_of_model(grid)) all["grid " + grid.name] = describe_grid(grid);
  for (const model::Field& field : declarations.fields)
    if (field.is_put() && is_of_model(declarations.grids[base::index(field.grid)]))
      all["field " + field.name] = fmt::format("{} on grid \"{}\"", model::name_of(field.type),
                                               declarations.grids[base::index(field.grid)].name);
  for (const DatasetPlan& file : plan.files) all["file " + file.entry.path] = describe_file(plan, file);
  return all;
}

void check_restart(const std::map<std::string, std::string>& saved, const Plan& plan,
                   const model::Declarations& declarations) {
  std::string differences;
  for (const auto& [what, text] : describe_for_restart(plan, declarations)) {
    const auto before = saved.find(what);
    if (before == saved.end() || before->second == text || what.starts_with("file ")) continue;
    differences += fmt::format("\n    {}: {} in the checkpoint, but {} now", what, before->second, text);
  }
  if (!differences.empty())
    throw Error(ErrorCode::configuration,
                "the checkpoint is of another model, so this one cannot go on from it:" + differences);
  config::Problems problems;
  for (const DatasetPlan& file : plan.files)
    if (const auto before = saved.find("file " + file.entry.path); before != saved.end())
      compare_file(plan, file, before->second, problems);
  problems.throw_if_any();
}

}  // namespace tailrace::plan
