#include "plan/describe_end.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "settings/checkpoint.hpp"

namespace tailrace::plan {
namespace {

std::string restart_words(const settings::CheckpointOptions& options) {
  switch (options.restart) {
    case settings::Restart::auto_:
      return "a run restarts from the newest complete one, if there is one (restart: auto)";
    case settings::Restart::require:
      return "a run restarts from the newest complete one, which it needs (restart: require)";
    case settings::Restart::at_initial_step:
      return "a run restarts from that of the model's initial step (restart: at_initial_step)";
    case settings::Restart::never: break;
  }
  return "a run begins anew, and removes them (restart: never)";
}

std::string field_words(const settings::CheckpointOptions& options) {
  std::vector<std::string> names;
  for (const settings::ListedName& field : options.fields) names.push_back(field.name);
  if (names.empty()) return "of the servers' state alone (no `fields`)";
  return fmt::format("of the servers' state, and of the model's fields {}", fmt::join(names, ", "));
}

std::string occasions(const settings::CheckpointOptions& options) {
  std::vector<std::string> all;
  if (!options.every.is_never()) all.push_back(options.every.sentence());
  if (options.on_signal) all.emplace_back("on SIGTERM, SIGINT or SIGUSR1");
  if (options.before_time_limit > 0)
    all.push_back(fmt::format("{:g} s before the job's time limit", options.before_time_limit));
  if (options.also_at_end) all.emplace_back("at the end");
  all.emplace_back("when the model requests one");
  return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace

std::string signal_words(const settings::ServersOptions& servers) {
  const bool is_dedicated = servers.mode == settings::Mode::dedicated;
  if (servers.signals == settings::Signals::none)
    return "SIGTERM and SIGINT end all ranks at once (signals: none)";
  const bool all_survive = servers.signals == settings::Signals::all || !is_dedicated;
  return fmt::format(
      "after SIGTERM or SIGINT the files are closed within {:g} s; model ranks without a handler {}",
      servers.grace_seconds, all_survive ? "continue until then" : "end at once");
}

std::optional<base::TextTree> describe_checkpoints(const settings::Configuration& configuration) {
  const auto* options = configuration.sections.find<settings::CheckpointOptions>();
  if (options == nullptr || !options->is_asked_for) return std::nullopt;
  base::TextTree branch{
      fmt::format("checkpoints in {}, of which the newest {} stay", options->directory, options->keep),
      {{occasions(*options), {}}, {field_words(*options), {}}}};
  if (!options->burst_buffer.empty())
    branch.below.push_back(
        {fmt::format("through the burst buffer {} of each node", options->burst_buffer), {}});
  branch.below.push_back({restart_words(*options), {}});
  return branch;
}

}  // namespace tailrace::plan
