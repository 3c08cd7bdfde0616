#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plan/plan.hpp"

namespace tailrace::plan {
namespace {

struct Branch {
  std::string text;
  std::vector<Branch> below;
};

void draw(const std::vector<Branch>& branches, const std::string& indent, std::string& tree) {
  for (const Branch& branch : branches) {
    const bool last = &branch == &branches.back();
    tree += fmt::format("{}{}{}\n", indent, last ? "└─ " : "├─ ", branch.text);
    draw(branch.below, indent + (last ? "   " : "│  "), tree);
  }
}

std::string bytes_words(std::size_t bytes) {
  constexpr std::pair<int, const char*> units[] = {{30, "GiB"}, {20, "MiB"}, {10, "KiB"}};
  for (const auto& [shift, unit] : units)
    if (bytes >> shift > 0)
      return fmt::format("{:.4g} {}", static_cast<double>(bytes) / static_cast<double>(1ULL << shift), unit);
  return fmt::format("{} B", bytes);
}

std::string codec_words(const codecs::CodecOptions& codec) {
  if (codec.codec == "none") return "not compressed";
  return fmt::format("{} level {}{}", codec.codec, codec.level, codec.shuffle ? " with shuffle" : "");
}

Branch describe_servers(const settings::ServersOptions& servers) {
  const std::string number =
      servers.per_node > 0 ? fmt::format("{} a node", servers.per_node) : fmt::format("{}", servers.count);
  constexpr const char* when_full[] = {"wait", "spill", "fail"};
  const std::string buffer =
      fmt::format("buffer {}{} per client, when full: {}", servers.buffer.at_most ? "up to " : "",
                  bytes_words(servers.buffer.bytes), when_full[static_cast<int>(servers.buffer.when_full)]);
  const std::string memory = fmt::format("memory {} per server", bytes_words(servers.memory));
  switch (servers.mode) {
    case settings::Mode::dedicated:
      return {fmt::format("servers: {} (dedicated ranks)", number), {{buffer, {}}, {memory, {}}}};
    case settings::Mode::attached:
      return {"servers: a thread in each model rank", {{buffer, {}}, {memory, {}}}};
    case settings::Mode::inline_: return {"servers: inside the model's own calls", {{memory, {}}}};
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

Branch describe_fields(const settings::Configuration& configuration) {
  Branch branch{"fields that the model is asked for", {}};
  for (const settings::FieldGroup& group : configuration.field_groups) {
    std::vector<std::string> names;
    for (const auto& [name, where] : group.fields) names.push_back(name);
    branch.below.push_back({fmt::format("{}, {}{}: {}", group.name, group.every.sentence(),
                                        group.optional ? ", optional" : "", fmt::join(names, ", ")),
                            {}});
  }
  return branch;
}

std::string file_words(const settings::FileEntry& file) {
  constexpr const char* on_error[] = {"stop", "skip the file", "retry"};
  return fmt::format("{} ({}, {}), {} {}, on error: {}", file.path, file.format, codec_words(file.codec),
                     file.series ? "a new file" : "written", file.write_every.sentence(),
                     on_error[static_cast<int>(file.on_error)]);
}

// As far as it can be told without a model.
Branch describe_file(const settings::FileEntry& file) {
  Branch branch{file_words(file), {}};
  for (const settings::VariableEntry& variable : file.variables) {
    const std::string what = variable.group.empty() ? variable.field : "group " + variable.group;
    const std::string names = variable.name.empty() && variable.suffix.empty() ? ""
                              : variable.name.empty() ? " with the suffix " + variable.suffix
                                                      : " as " + variable.name + variable.suffix;
    branch.below.push_back({fmt::format("{}{}: {} {}", what, names, time::name_of(variable.reduction),
                                        variable.every.sentence()),
                            {}});
  }
  for (const settings::OptionTable& table : file.option_tables)
    branch.below.push_back({table.prefix.empty() ? fmt::format("{}: all options of the model", table.name)
                                                 : fmt::format("{}: the model's options that begin with {}",
                                                               table.name, table.prefix),
                            {}});
  return branch;
}

Branch describe_file(const FilePlan& file) {
  Branch branch{file_words(file.entry), {}};
  for (std::size_t axis = 0; axis < file.axes.size(); ++axis) {
    const AxisPlan& plan = file.axes[axis];
    const char* kind = time::is_windowed(plan.kind) ? "windows" : "instants";
    Branch below{
        fmt::format("{}: {} {}, sampled {}", plan.dim, kind, plan.every.sentence(), plan.cadence.sentence()),
        {}};
    for (const VariablePlan& variable : file.variables) {
      if (variable.axis != static_cast<int>(axis)) continue;
      const std::string from = variable.field_name == variable.name ? "" : " of " + variable.field_name;
      below.below.push_back({fmt::format("{}: {}{}, {}, {}", variable.name, time::name_of(variable.reduction),
                                         from, model::name_of(variable.type), codec_words(variable.codec)),
                             {}});
    }
    branch.below.push_back(std::move(below));
  }
  for (const OptionTablePlan& table : file.option_tables) {
    const std::size_t count = table.entries.size();
    branch.below.push_back(
        {fmt::format("{}: {} option{} of the model", table.name, count, count == 1 ? "" : "s"), {}});
  }
  return branch;
}

Branch describe_output(const settings::Configuration& configuration, const Plan* plan) {
  Branch branch{"output", {}};
  if (plan != nullptr)
    for (const FilePlan& file : plan->files) branch.below.push_back(describe_file(file));
  else
    for (const settings::FileEntry& file : configuration.files) branch.below.push_back(describe_file(file));
  if (branch.below.empty()) branch.text = "output: no file";
  return branch;
}

}  // namespace

std::string describe(const settings::Configuration& configuration, const Plan* plan) {
  std::vector<Branch> branches{describe_servers(configuration.servers), describe_time(configuration),
                               describe_fields(configuration), describe_output(configuration, plan)};
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
  std::string tree = "tailrace\n";
  draw(branches, "", tree);
  return tree;
}

}  // namespace tailrace::plan
