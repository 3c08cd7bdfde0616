#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/index.hpp"
#include "base/text_tree.hpp"
#include "codecs/own_plugin.hpp"
#include "env/topology.hpp"
#include "output/codec_needs.hpp"
#include "output/object_store/location.hpp"
#include "plan/describe_end.hpp"
#include "plan/memory_needs.hpp"
#include "plan/naming/axis_names.hpp"
#include "plan/plan.hpp"
#include "plan/regridding.hpp"
#include "regrid/method.hpp"
#include "regrid/target_grid.hpp"

namespace tailrace::plan {
namespace {

using Branch = base::TextTree;

std::string bytes_words(std::size_t bytes) { return base::bytes_text(static_cast<double>(bytes)); }

std::string codec_words(const codecs::CodecOptions& codec) {
  if (codec.codec == "none") return "not compressed";
  const std::string level = codec.prefer
                                ? fmt::format("a level for each chunk, the {}",
                                              *codec.prefer == codecs::Prefer::ratio ? "smallest" : "fastest")
                                : fmt::format("level {}", codec.level);
  const bool is_shuffled = codec.shuffle && !codecs::needs_own_plugin(codec.codec);
  return fmt::format("{} {}{}{}", codec.codec, level, is_shuffled ? " with shuffle" : "",
                     codec.keep ? fmt::format(", kept: {} (a chunk that fails its check is stored exactly)",
                                              codecs::lossy::words(*codec.keep))
                                : "");
}

std::string number_words(const settings::ServersOptions& servers) {
  if (servers.per_node > 0) return fmt::format("{} a node", servers.per_node);
  if (servers.per_domain == 0) return fmt::format("{}", servers.count);
  const std::string source = env::topology_source();
  if (source.empty())
    return fmt::format("{} a node, as this build lacks hwloc and knows no NUMA domains", servers.per_domain);
  return fmt::format("{} a NUMA domain, as {} tells", servers.per_domain, source);
}

Branch describe_servers(const settings::ServersOptions& servers) {
  const std::string number = number_words(servers);
  constexpr const char* when_full[] = {"wait", "spill", "fail"};
  const std::string buffer =
      fmt::format("buffer {}{} per client, when full: {}", servers.buffer.at_most ? "up to " : "",
                  bytes_words(servers.buffer.bytes), when_full[static_cast<int>(servers.buffer.when_full)]);
  const std::string memory = fmt::format("memory {} per server", bytes_words(servers.memory));
  const Branch signals{signal_words(servers), {}};
  switch (servers.mode) {
    case settings::Mode::dedicated:
      return {fmt::format("servers: {} (dedicated ranks)", number), {{buffer, {}}, {memory, {}}, signals}};
    case settings::Mode::attached:
      return {"servers: a thread in each model rank", {{buffer, {}}, {memory, {}}, signals}};
    case settings::Mode::inline_: return {"servers: inside the model's own calls", {{memory, {}}, signals}};
    case settings::Mode::off: break;
  }
  return {"servers: off, nothing is written", {}};
}

Branch describe_time(const settings::Configuration& configuration) {
  if (configuration.time.calendar == "none") return {"time: seconds of model time", {}};
  return {fmt::format("time: calendar {}, from {}", configuration.time.calendar,
                      calendar::format_date(configuration.time.start)),
          {}};
}

// Lists as many names as fit on a line.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t enough = 120;
  std::string words;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (words.size() > enough) return fmt::format("{} and {} more", words, names.size() - i);
    words += (i == 0 ? "" : ", ") + names[i];
  }
  return words;
}

Branch describe_fields(const settings::Configuration& configuration) {
  Branch branch{"fields that the model is asked for", {}};
  for (const settings::FieldGroup& group : configuration.field_groups) {
    std::vector<std::string> names;
    for (const auto& [name, where] : group.fields) names.push_back(name);
    branch.below.push_back(
        {fmt::format("{}, {}{}: {}", group.name, group.once ? "once" : group.every.sentence(),
                     group.optional ? ", optional" : "", listed(names)),
         {}});
  }
  return branch;
}

std::string file_words(const settings::OutputEntry& file) {
  if (const output::Format* format = file.writer())
    if (const std::string own = format->describe(file.format_options.get()); !own.empty())
      return fmt::format("{} {}", file.path, own);
  constexpr const char* on_error[] = {"stop", "skip the file", "retry"};
  std::string words =
      fmt::format("{} ({}, {}), {} {}, on error: {}", file.path, file.format, codec_words(file.codec),
                  file.series ? "a new file" : "written",
                  file.gathers ? "when records are complete (small ones once a minute)"
                  : file.write_every_location.line == 0 && !file.series ? "when records are complete"
                                                                        : file.write_every.sentence(),
                  on_error[static_cast<int>(file.on_error)]);
  if (file.new_file_every) words += fmt::format(", a new file {}", file.new_file_every->sentence());
  if (file.stations)
    words += fmt::format(", at {} stations ({})", file.stations->points.size(),
                         file.stations->method == points::Sampling::nearest ? "nearest" : "bilinear");
  if (file.trajectories)
    words += fmt::format(", along {} trajectories ({})", file.trajectories->all.size(),
                         file.trajectories->method == points::Sampling::nearest ? "nearest" : "bilinear");
  if (file.regrid) words += ", on " + regrid::text_of(file.regrid->target);
  if (file.copy) words += fmt::format(", a coarser copy of {}", file.copy->of);
  if (!file.span.from.text.empty()) words += ", from " + file.span.from.text;
  if (!file.span.until.text.empty()) words += ", until " + file.span.until.text;
  return words;
}

std::string target_of(const settings::VariableEntry& variable) {
  if (!variable.pattern.empty()) return "fields " + variable.pattern;
  return variable.group.empty() ? variable.field : "group " + variable.group;
}

// Suggests how to split a file with several time axes, since CDO, NCO and many viewers read only the first.
// `axes` lists the variables on each.
void advise(const std::vector<std::vector<std::string>>& axes, Branch& branch) {
  if (axes.size() < 2) return;
  Branch advice{
      fmt::format(
          "{} time axes, of which many readers know the first only; as {} files each has one, `time`:",
          axes.size(), axes.size()),
      {}};
  for (const auto& names : axes) advice.below.push_back({listed(names), {}});
  branch.below.push_back(std::move(advice));
}

void advise(const settings::OutputEntry& file, Branch& branch) {
  std::vector<std::pair<time::Period, bool>> kinds;
  std::vector<std::vector<std::string>> axes;
  for (const settings::VariableEntry& variable : file.variables) {
    if (variable.every.is_never()) continue;  // a fixed field, or one at the end of the run
    const std::pair kind{variable.every, time::needs_window(variable.reduction)};
    const auto known = base::index(std::ranges::find(kinds, kind) - kinds.begin());
    if (known == kinds.size()) {
      kinds.push_back(kind);
      axes.emplace_back();
    }
    axes[known].push_back(target_of(variable));
  }
  advise(axes, branch);
}

// Tells what readers need to decode the chunks, if anything.
void add_needs(const settings::OutputEntry& file, const std::set<std::string>& codecs, Branch& branch) {
  for (const std::string& codec : codecs)
    if (const auto need = output::readers_need(file.format, codec); need && !need->empty())
      branch.below.push_back({fmt::format("readers of {} need: {}", codec, *need), {}});
}

// Tells which of the options change nothing.
void add_notes(const settings::OutputEntry& file, Branch& branch) {
  if (file.sync && output::object_store::is_object_url(file.path))
    branch.below.push_back(
        {"sync: changes nothing on an object store, which keeps what it has answered for", {}});
}

// The description without a model.
Branch describe_file(const settings::OutputEntry& file) {
  Branch branch{file_words(file), {}};
  for (const settings::VariableEntry& variable : file.variables) {
    const std::string what = target_of(variable);
    const std::string names = variable.name.empty() && variable.suffix.empty() ? ""
                              : variable.name.empty() ? " with the suffix " + variable.suffix
                                                      : " as " + variable.name + variable.suffix;
    const std::string when = variable.every.is_never() ? "once"
                             : variable.cycle == time::Cycle::none
                                 ? variable.every.sentence()
                                 : "over " + variable.every.sentence() + " of all years or days";
    branch.below.push_back({fmt::format("{}{}: {} {}{}", what, names, time::name_of(variable.reduction), when,
                                        variable.codec ? ", " + codec_words(*variable.codec) : ""),
                            {}});
  }
  for (const settings::OptionTable& table : file.option_tables)
    branch.below.push_back({table.prefix.empty() ? fmt::format("{}: all options of the model", table.name)
                                                 : fmt::format("{}: the model's options that begin with {}",
                                                               table.name, table.prefix),
                            {}});
  std::set<std::string> codecs{file.codec.codec};
  for (const settings::VariableEntry& variable : file.variables)
    if (variable.codec) codecs.insert(variable.codec->codec);
  add_needs(file, codecs, branch);
  add_notes(file, branch);
  advise(file, branch);
  return branch;
}

std::string type_words(const VariablePlan& variable) {
  std::string words(model::name_of(variable.type));
  if (variable.packing)
    words += fmt::format(" of {} * n + {}", variable.packing->scale_factor, variable.packing->add_offset);
  return words;
}

// The target of a variable, and where its operation over time is done.
std::string regrid_words(const Plan& plan, const VariablePlan& variable) {
  if (variable.regrid < 0) return "";
  if (variable.fraction_of >= 0) return ", the valid share of each cell";
  const RegridPlan& regrid = plan.regridding->regrids[base::index(variable.regrid)];
  const char* direction = regrid.projection == Projection::east    ? ", true east of a vector"
                          : regrid.projection == Projection::north ? ", true north of a vector"
                                                                   : "";
  return fmt::format("{}, on {}, {}", direction, text_of(*plan.regridding, regrid),
                     reason_of(plan, variable));
}

Branch describe_variables(const Plan& whole, const DatasetPlan& file, int axis, const std::string& on) {
  Branch branch{on, {}};
  for (const VariablePlan& variable : file.variables) {
    if (variable.axis != axis) continue;
    const std::string from = variable.field_name == variable.name ? "" : " of " + variable.field_name;
    const std::string_view how = axis < 0 ? "as put" : time::name_of(variable.reduction);
    branch.below.push_back({fmt::format("{}: {}{}, {}, {}{}", variable.name, how, from, type_words(variable),
                                        codec_words(variable.codec), regrid_words(whole, variable)),
                            {}});
  }
  return branch;
}

Branch describe_file(const Plan& whole, const DatasetPlan& file) {
  Branch branch{file_words(file.entry), {}};
  for (std::size_t axis = 0; axis < file.axes.size(); ++axis) {
    const AxisPlan& plan = file.axes[axis];
    const char* kind = time::is_windowed(plan.kind) ? "windows" : "instants";
    const std::string when = plan.cycle == time::Cycle::none
                                 ? fmt::format("{} {}", kind, plan.every.sentence())
                                 : fmt::format("one record for each {} of the {}", word_of_turn(plan),
                                               plan.cycle == time::Cycle::year ? "year" : "day");
    branch.below.push_back(
        describe_variables(whole, file, static_cast<int>(axis),
                           fmt::format("{}: {}, sampled {}", plan.dim, when, plan.cadence.sentence())));
  }
  if (std::ranges::count(file.variables, -1, &VariablePlan::axis) > 0)
    branch.below.push_back(describe_variables(whole, file, -1, "without time, put once"));
  std::vector<std::vector<std::string>> axes(file.axes.size());
  for (const VariablePlan& variable : file.variables)
    if (variable.axis >= 0) axes[base::index(variable.axis)].push_back(variable.name);
  std::set<std::string> codecs;
  for (const VariablePlan& variable : file.variables) codecs.insert(variable.codec.codec);
  add_needs(file.entry, codecs, branch);
  add_notes(file.entry, branch);
  advise(axes, branch);
  for (const OptionTablePlan& table : file.option_tables) {
    const std::size_t count = table.entries.size();
    branch.below.push_back(
        {fmt::format("{}: {} option{} of the model", table.name, count, count == 1 ? "" : "s"), {}});
  }
  return branch;
}

// The weights between whole grids, which the servers share.
std::optional<Branch> describe_weights(const Plan& plan) {
  if (!plan.regridding) return std::nullopt;
  Branch branch{"weights of regridding", {}};
  for (const WeightsPlan& weights : plan.regridding->weights) {
    const model::Grid& grid = plan.regridding->declarations.grids[base::index(weights.source_grid)];
    const std::string how =
        weights.method == regrid::Method::file ? "of " + weights.weights : regrid::name_of(weights.method);
    branch.below.push_back({fmt::format("grid \"{}\" to {}, {}: about {} on all servers together", grid.name,
                                        regrid::text_of(weights.target), how,
                                        bytes_words(weights_bytes(*plan.regridding, weights))),
                            {}});
  }
  return branch;
}

Branch describe_output(const settings::Configuration& configuration, const Plan* plan) {
  Branch branch{"output", {}};
  if (plan != nullptr)
    for (const DatasetPlan& file : plan->files) branch.below.push_back(describe_file(*plan, file));
  else
    for (const settings::OutputEntry& file : configuration.files) branch.below.push_back(describe_file(file));
  if (branch.below.empty()) branch.text = "output: no file";
  return branch;
}

std::size_t servers_of(const settings::ServersOptions& servers, std::size_t ranks) {
  const bool is_dedicated = servers.mode == settings::Mode::dedicated;
  return std::max<std::size_t>(1, is_dedicated ? static_cast<std::size_t>(servers.count) : ranks);
}

}  // namespace

std::string describe(const settings::Configuration& configuration, const Plan* plan) {
  std::vector<Branch> branches{describe_servers(configuration.servers), describe_time(configuration),
                               describe_fields(configuration), describe_output(configuration, plan)};
  if (plan != nullptr)
    if (auto weights = describe_weights(*plan)) branches.push_back(std::move(*weights));
  if (auto checkpoints = describe_checkpoints(configuration)) branches.push_back(std::move(*checkpoints));
  if (!configuration.open.empty())
    branches.push_back({fmt::format("unresolved, set by the model: {} (periods and numbers that depend on it "
                                    "are shown with their defaults)",
                                    fmt::join(configuration.open, ", ")),
                        {}});
  const std::vector<std::string>& warnings = plan != nullptr ? plan->warnings : configuration.warnings;
  if (!warnings.empty()) {
    branches.push_back({"warnings", {}});
    for (const std::string& warning : warnings) branches.back().below.push_back({warning, {}});
  }
  if (plan != nullptr && !plan->details.empty()) {
    branches.push_back({"in full", {}});
    for (const std::string& detail : plan->details) branches.back().below.push_back({detail, {}});
  }
  return "tailrace\n" + base::drawn(branches);
}

// Without compression, and with data evenly spread over servers and ranks; the needs are those of the server
// that needs most.
std::string describe_memory(const settings::ServersOptions& servers, const Plan& plan,
                            const model::Declarations& declarations, std::size_t ranks) {
  if (servers.mode == settings::Mode::off) return "";
  const std::size_t count = servers_of(servers, ranks);
  const MemoryNeeds needs = most_needs_of(plan, declarations, servers.mode, count);
  std::vector<Branch> parts;
  for (const MemoryNeed* need : needs.all()) {
    if (need->bytes == 0) continue;
    const std::string most = need->of.empty() || need->most == need->bytes
                                 ? need->of
                                 : bytes_words(need->most) + " for " + need->of;
    parts.push_back(
        {fmt::format("{} {}{}", bytes_words(need->bytes), need->what, most.empty() ? "" : ": " + most), {}});
  }
  parts.push_back(
      {fmt::format("{} of a step from each of {} model ranks, in its buffer",
                   bytes_words(step_bytes(plan, declarations) / std::max<std::size_t>(1, ranks)), ranks),
       {}});
  if (lack_of_memory(needs, servers.memory))
    parts.push_back(
        {fmt::format("{}: expected `servers: {{memory: {} MiB}}` or more, or more servers",
                     servers.memory_given
                         ? "refused in ready"
                         : "more than `memory` where it is not given: then it bounds what moves alone",
                     memory_for(needs.total()) >> 20),
         {}});
  return fmt::format("memory: about {} of the {} of a server\n", bytes_words(needs.total()),
                     bytes_words(servers.memory)) +
         base::drawn(parts);
}

}  // namespace tailrace::plan
