// The public functions that need no session: running a server, and the commands of the command line.
#include "checkpoint/tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "analytics/expression/rewrites.hpp"
#include "analytics/operator.hpp"
#include "analytics/plan_text.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/nearest_name.hpp"
#include "base/version.hpp"
#include "cf/volume.hpp"
#include "dialects/dialect.hpp"
#include "dialects/yaml.hpp"
#include "env/file_system.hpp"
#include "handshake/start.hpp"
#include "model/block.hpp"
#include "output/format.hpp"
#include "output/hdf5_lock.hpp"
#include "plan/analysis.hpp"
#include "plan/declared.hpp"
#include "plan/folders.hpp"
#include "plan/naming/apply_overrides.hpp"
#include "plan/naming/name_patterns.hpp"
#include "plan/plan.hpp"
#include "plan/regridding.hpp"
#include "plan/restart/description.hpp"
#include "server/server_process.hpp"
#include "session/input_preview.hpp"
#include "session/regrid_preview.hpp"
#include "session/restart_preview.hpp"
#include "session/workload.hpp"
#include "settings/configuration.hpp"
#include "settings/coupling/request.hpp"
#include "tailrace/tailrace.hpp"
#include "telemetry/pace.hpp"

namespace tailrace {
namespace session {

namespace {

// A configuration resolved against what a model declared in some run.
struct Checked {
  settings::Configuration configuration;
  model::Declarations declarations;  // including those of diagnostics
  plan::Plan plan;
  std::size_t ranks = 0;
  std::size_t model_fields = 0;    // the first ones of the declarations, which the model itself declared
  std::optional<cf::Speed> speed;  // of the run that made the declarations
};

// Reads the report in the directory of the declarations; there is none if that run was killed.
std::optional<cf::Speed> speed_of(const std::string& component, const std::string& declared_path) {
  const auto report = std::filesystem::path(declared_path).parent_path() / "report.json";
  if (!env::system_files().exists(report.string())) return std::nullopt;
  const auto pace = telemetry::pace_of(env::system_files().read(report.string()), component);
  if (!pace) return std::nullopt;
  return cf::Speed{.model_seconds = pace->model_seconds, .steps = pace->steps};
}

Checked check_against(const std::string& configuration, const std::map<std::string, std::string>& options,
                      const std::string& path) {
  plan::Declared declared = plan::declared_from_json(env::system_files().read(path), path);
  const settings::Sources sources = settings::read_sources(configuration, declared.text);
  for (const auto& [name, value] : options) declared.declarations.options[name] = value;
  Checked checked;
  checked.configuration = plan::with_patterns(
      settings::parse_configuration(sources, &declared.declarations.options), declared.declarations);
  declared.declarations = plan::apply_overrides(checked.configuration, std::move(declared.declarations));
  checked.model_fields = declared.declarations.fields.size();
  checked.plan = plan::make_plan(checked.configuration, declared.declarations, &declared.decomposition);
  std::ranges::move(plan::folder_warnings(checked.configuration, env::system_files()),
                    std::back_inserter(checked.plan.warnings));
  for (const auto& regions : declared.decomposition.regions)
    checked.ranks = std::max(checked.ranks, regions.size());
  checked.speed = speed_of(declared.declarations.component, path);
  checked.declarations = checked.plan.regridding ? checked.plan.regridding->declarations
                         : checked.plan.analysis ? checked.plan.analysis->declarations
                                                 : std::move(declared.declarations);
  return checked;
}

analytics::Placement placement_of(const Checked& checked) {
  std::vector<analytics::Place> places;
  for (const auto& input : checked.plan.analysis->inputs) places.push_back(input.place);
  const settings::ServersOptions& servers = checked.configuration.servers;
  const int count =
      servers.mode == settings::Mode::dedicated ? servers.count : static_cast<int>(checked.ranks);
  return analytics::make_placement(checked.plan.analysis->graph, places, std::max(1, count), 0);
}

std::string diagnostics_text(const Checked& checked) {
  if (!checked.plan.analysis || checked.plan.analysis->graph.diagnostics.empty()) return "";
  return analytics::plan_text(checked.plan.analysis->graph, placement_of(checked));
}

// Lists newer checkpoints that are still on nodes: a job can use them only if it has these nodes.
std::string newer_on_nodes(const std::string& directory, const std::string& component, std::int64_t step) {
  std::string text;
  for (const auto& [set, of, holder] : checkpoint::survey(env::system_files(), directory, false))
    if (of == component && set.step > step && set.state == checkpoint::FoundCheckpoint::State::on_nodes)
      text += fmt::format("or from that of step {} if the job has its nodes: {}\n", set.step, set.why);
  return text;
}

// The checks of `start` and `ready`, except for those of the values in the checkpoint, which only a restart
// reads; and what it would change.
std::string restart_text(const Checked& checked, const std::string& directory) {
  if (directory.empty()) return "";
  const std::string& component = checked.declarations.component;
  const auto set = checkpoint::newest_complete(env::system_files(), directory, component);
  plan::check_restart(set.manifest.texts, checked.plan, checked.declarations);
  return fmt::format("component \"{}\" restarts from the checkpoint of step {} ({} s) in {}\n{}{}\n",
                     component, set.step, set.manifest.head.time, set.path,
                     newer_on_nodes(directory, component, set.step), preview_restart(checked.plan, set));
}

std::string diagnostics_graph(const Checked& checked) {
  if (!checked.plan.analysis) return analytics::plan_graph({}, {});
  return analytics::plan_graph(checked.plan.analysis->graph, placement_of(checked));
}

}  // namespace

}  // namespace session

void serve(int communicator, const std::string& configuration) {
  handshake::Started started = handshake::start(communicator, {.path = configuration}, "", true);
  if (!started.servers) {
    base::log_warning(
        "servers.mode in the model's configuration is not dedicated: this server has nothing to do");
    return;
  }
  server::serve_until_done(started);
}

void serve(const std::string& configuration) {
  const comm::Environment environment;
  serve(comm::world_handle(), configuration);
}

std::string check(const std::string& configuration, const std::map<std::string, std::string>& options,
                  const std::string& declared, const std::string& restart) {
  if (declared.empty() && !restart.empty())
    throw Error(ErrorCode::usage, "a restart can be checked only together with declarations");
  if (!declared.empty()) {
    const session::Checked found = session::check_against(configuration, options, declared);
    return session::restart_text(found, restart) + plan::describe(found.configuration, &found.plan) +
           plan::describe_memory(found.configuration.servers, found.plan, found.declarations, found.ranks) +
           cf::describe_volume(found.plan, found.configuration, found.declarations, found.speed) +
           session::preview_regridding(found.configuration, found.plan) +
           session::preview_input(found.configuration, found.plan, found.declarations, found.ranks) +
           session::diagnostics_text(found);
  }
  const settings::Sources sources = settings::read_sources(configuration);
  auto parsed = settings::parse_configuration(sources, options.empty() ? nullptr : &options);
  settings::check_operators(parsed);
  std::ranges::move(plan::folder_warnings(parsed, env::system_files()), std::back_inserter(parsed.warnings));
  return plan::describe(parsed, nullptr) + session::preview_input(parsed);
}

std::string plan_graph(const std::string& configuration, const std::string& declared,
                       const std::map<std::string, std::string>& options) {
  return session::diagnostics_graph(session::check_against(configuration, options, declared));
}

std::string workload(const std::string& configuration, const std::string& declared, const RunOutline& run,
                     const std::map<std::string, std::string>& options) {
  const bool counts_are_good = std::ranges::all_of(run.servers, [](int count) { return count > 0; });
  const bool has_end = static_cast<double>(run.steps) * run.step_seconds <= model::latest_time;  // no NaN
  if (run.steps < 1 || run.ranks < 1 || !(run.step_seconds > 0.0) || !has_end || !counts_are_good)
    throw Error(ErrorCode::usage,
                "a run has at least one step, rank and server, and its steps a length in model time");
  const session::Checked found = session::check_against(configuration, options, declared);
  return session::workload_json(found.configuration, found.plan, found.declarations, found.model_fields,
                                {run.steps, run.step_seconds, run.ranks, run.servers});
}

std::string report_directory(const std::string& configuration) {
  const settings::Sources sources = settings::read_sources(configuration);
  const settings::ServersOptions servers = settings::parse_configuration(sources, nullptr).servers;
  return servers.report && servers.mode != settings::Mode::off ? servers.report_directory : "";
}

double seconds_of_grace(const std::string& configuration) {
  const settings::Sources sources = settings::read_sources(configuration);
  const settings::ServersOptions servers = settings::parse_configuration(sources, nullptr).servers;
  const bool takes_signals =
      servers.signals != settings::Signals::none && servers.mode != settings::Mode::off;
  return takes_signals ? servers.grace_seconds : 0.0;
}

std::string coupling_request(const std::string& configuration, const std::string& text) {
  return settings::coupling_request(configuration, text);
}

std::map<std::string, std::string> configuration_dialects() {
  std::map<std::string, std::string> notations;
  for (const dialects::Dialect* dialect : dialects::all_dialects())
    notations[dialect->name()] = dialect->notation();
  return notations;
}

Conversion convert_configuration(const std::string& dialect, const std::string& path,
                                 const std::map<std::string, std::string>& options, bool legacy) {
  const dialects::Dialect* found = dialects::find_dialect(dialect);
  if (found == nullptr)
    throw Error(ErrorCode::usage, fmt::format("there is no dialect \"{}\".{}", dialect,
                                              base::name_hint(dialect, dialects::dialect_names())));
  const config::Sources sources = found->read_sources(path, settings::read_text);
  config::Problems problems;
  const auto made = found->translate(sources, {.values = &options, .legacy = legacy, .beside = {}}, problems);
  problems.throw_if_any();
  return {dialects::to_yaml(made.tree), made.warnings};
}

std::string reference() { return settings::reference_markdown(); }
std::string schema() { return settings::json_schema(); }
void hdf5_lock() { output::lock_hdf5(); }
void hdf5_unlock() { output::unlock_hdf5(); }

std::string version() { return std::string(base::version); }

std::vector<ExpressionFunction> expression_functions() {
  std::vector<ExpressionFunction> all;
  const auto add = [&all](const std::string& name, const char* kind, const analytics::OperatorDoc& doc) {
    all.push_back({name, kind, doc.signature, doc.description, doc.cost, doc.source});
  };
  for (const std::string& name : analytics::operator_names()) {
    const analytics::Operator* op = analytics::find_operator(name);
    const bool cells = dynamic_cast<const analytics::Elementwise*>(op) != nullptr;
    const bool reduces = dynamic_cast<const analytics::Reduction*>(op) != nullptr;
    add(name, cells ? "elementwise" : reduces ? "reduction" : "kernel", op->doc());
  }
  for (const auto& rewrite : analytics::expression::rewrites()) add(rewrite.name, "rewrite", rewrite.doc);
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

Inspection inspect(const std::string& path, bool repair) {
  const output::Inspection found = output::inspect(path, repair);
  return {found.readable, found.repaired, found.report};
}

}  // namespace tailrace
