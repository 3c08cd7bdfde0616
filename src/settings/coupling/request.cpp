#include "settings/coupling/request.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "config/read.hpp"
#include "dialects/dialect.hpp"
#include "input/options.hpp"
#include "regrid/maker/maker_files.hpp"
#include "settings/checkpoint.hpp"
#include "settings/configuration.hpp"
#include "settings/coupling/coupling.hpp"

namespace tailrace::settings {
namespace {

using nlohmann::json;

json grids_of(const Coupling& coupling) {
  json grids = json::object();
  for (const CoupledGrid& grid : coupling.grids)
    grids[grid.name] = {{"place", grid.location.text()}, {"target", regrid::target_json(grid.target)}};
  return grids;
}

json fields_of(const Coupling& coupling) {
  json fields = json::object();
  for (const CoupledField& field : coupling.fields) {
    json& made = fields[field.name] = {{"place", field.location.text()}, {"levels", field.levels}};
    if (field.fill_value) made["fill_value"] = *field.fill_value;
  }
  return fields;
}

json levels_of(const Coupling& coupling) {
  json levels = json::object();
  for (const CoupledLevels& each : coupling.levels)
    levels[each.dim] = {{"place", each.location.text()}, {"file", each.file}, {"variable", each.variable}};
  return levels;
}

// The options that the text itself has: what is left out may come from YAC.
json given_in(const config::Node& tree) {
  json given = json::object();
  for (const auto& [section, option] :
       {std::pair{"servers", "mode"}, {"model_time", "calendar"}, {"model_time", "start"}}) {
    const config::NodeEntry* entry = tree.find(section);
    const config::NodeEntry* found = entry != nullptr ? entry->value.find(option) : nullptr;
    if (found == nullptr) continue;
    given[fmt::format("{}.{}", section, option)] = {{"place", found->value.location.text()},
                                                    {"value", found->value.text}};
  }
  return given;
}

void add_period(json& made, const time::Period& period) {
  made["every"] = period.is_never() ? "never" : period.length();
  if (period.is_never()) return;
  if (period.kind() == time::PeriodKind::seconds) made["seconds"] = period.seconds();
  if (period.kind() == time::PeriodKind::steps) made["steps"] = period.count();
  if (period.kind() == time::PeriodKind::months) made["months"] = period.count();
}

json asked_of(const Configuration& configuration) {
  json asked = json::array();
  for (const FieldGroup& group : configuration.field_groups) {
    if (group.once) continue;
    for (const ListedName& field : group.fields) {
      json& made = asked.emplace_back(json{{"name", field.name}, {"place", field.location.text()}});
      const config::Location& where = group.every_location.line > 0 ? group.every_location : field.location;
      made["every_place"] = where.text();
      made["optional"] = group.optional;
      add_period(made, group.every);
    }
  }
  return asked;
}

json variables_of(const Configuration& configuration) {
  json variables = json::array();
  for (const OutputEntry& file : configuration.files)
    for (const VariableEntry& entry : file.variables)
      for (const std::string& field : settings::fields_of(entry, configuration)) {
        if (entry.cycle != time::Cycle::none) continue;
        json& made = variables.emplace_back(json{{"field", field}, {"place", entry.location.text()}});
        add_period(made, entry.every);
      }
  return variables;
}

json files_of(const Configuration& configuration) {
  json files = json::array();
  for (const OutputEntry& file : configuration.files)
    files.push_back({{"name", file.path},
                     {"place", file.location.text()},
                     {"has_if_exists", file.if_exists.has_value()}});
  return files;
}

json inputs_of(const Configuration& configuration) {
  json inputs = json::array();
  for (const input::Entry& entry : configuration.sections.get<input::Options>().entries)
    for (const input::FieldRequest& field : entry.fields)
      inputs.push_back({{"name", field.name}, {"place", field.location.text()}});
  return inputs;
}

config::Node tree_of(const Sources& sources) {
  config::Problems problems;
  auto merged = config::merge_sources(sources, {"tailrace", dialects::notations()}, problems);
  problems.throw_if_any();
  return std::move(merged.tree);
}

}  // namespace

std::string coupling_request(const std::string& path, const std::string& model_text) {
  const Sources sources = read_sources(path, model_text);
  const Configuration configuration = parse_configuration(sources, nullptr);
  const auto& coupling = configuration.sections.get<Coupling>();
  const ServersOptions& servers = configuration.servers;
  const json request{{"place", coupling.location.line == 0 ? "" : coupling.location.text()},
                     {"component", coupling.component},
                     {"wait_seconds", coupling.wait_seconds},
                     {"watchdog_seconds", servers.watchdog_seconds},
                     {"grids", grids_of(coupling)},
                     {"fields", fields_of(coupling)},
                     {"levels", levels_of(coupling)},
                     {"given", given_in(tree_of(sources))},
                     {"asked", asked_of(configuration)},
                     {"variables", variables_of(configuration)},
                     {"files", files_of(configuration)},
                     {"inputs", inputs_of(configuration)},
                     {"checkpoints", configuration.sections.get<CheckpointOptions>().is_asked_for}};
  return request.dump();
}

}  // namespace tailrace::settings
