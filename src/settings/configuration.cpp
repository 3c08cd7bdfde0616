#include "settings/configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "analytics/user/operator.hpp"
#include "config/check.hpp"
#include "config/dialect.hpp"
#include "config/documents/documents.hpp"
#include "config/placeholders.hpp"
#include "config/read.hpp"
#include "dialects/dialect.hpp"
#include "env/file_system.hpp"
#include "points/tables.hpp"
#include "settings/apply_tables.hpp"
#include "settings/coupling/coupling.hpp"
#include "settings/data_files.hpp"
#include "settings/field_metadata.hpp"
#include "settings/grid_files.hpp"
#include "settings/in_situ/in_situ.hpp"
#include "settings/schema.hpp"
#include "settings/translated.hpp"

namespace tailrace::settings {
namespace {

constexpr const char* version_key = "tailrace";

std::string text_of(const Sources& sources) {
  std::string text;
  const auto is_part = [](const SourceFile& source) { return !source.is_data; };
  if (std::ranges::count_if(sources, is_part) == 1) return sources.front().text;
  for (const SourceFile& source : sources)
    if (is_part(source)) text += fmt::format("# {}\n{}\n", source.name, source.text);
  return text;
}

// The servers start before the model gives its options.
void forbid_placeholders(const config::Node& tree, config::Problems& problems) {
  for (const char* key : {version_key, "servers", "yac"}) {
    const config::NodeEntry* entry = tree.find(key);
    if (entry == nullptr) continue;
    for (const std::string& name : config::placeholders_in(entry->value))
      problems.add(
          entry->value.location, key,
          fmt::format("\"{{{}}}\" cannot be used here: this part is read before the model gives its options",
                      name));
  }
}

// In the names of files, `{start}` and `{end}` are the limits of the file, not options of the model.
const config::KeptNames& names_of_limits() {
  static const config::KeptNames kept{"output", {"start", "end"}};
  return kept;
}

// Expressions keep their placeholders: the parser of expressions replaces them and keeps the columns for its
// messages.
void fill_placeholders(config::Node& tree, const std::map<std::string, std::string>& options,
                       config::Problems& problems) {
  const auto entry = std::find_if(tree.entries.begin(), tree.entries.end(),
                                  [](const config::NodeEntry& each) { return each.key == "diagnostics"; });
  std::vector<std::string> expressions;
  const auto each_expression = [&](const auto& visit) {
    if (entry == tree.entries.end()) return;
    for (config::NodeEntry& diagnostic : entry->value.entries)
      for (config::NodeEntry& option : diagnostic.value.entries)
        if (option.key == "is") visit(option.value.text);
  };
  each_expression([&](std::string& text) { expressions.push_back(std::exchange(text, {})); });
  config::fill_placeholders(tree, options, "", problems, names_of_limits());
  std::size_t next = 0;
  each_expression([&](std::string& text) { text = expressions[next++]; });
}

// False if the calendar is invalid, or depends on options that the model has not given yet.
bool knows_dates(const config::Node& tree, const config::Problems& problems) {
  const config::NodeEntry* time = tree.find("model_time");
  return !problems.touch("model_time") && (time == nullptr || config::placeholders_in(time->value).empty());
}

// Visits the sections that are members of Configuration.
template <class SomeConfiguration, class Visit>
void each_named(SomeConfiguration& configuration, const Visit& visit) {
  visit(configuration.servers);
  visit(configuration.time);
  visit(configuration.field_groups);
  visit(configuration.diagnostics);
  visit(configuration.operators);
  visit(configuration.groups);
  visit(configuration.files);
}

Configuration configuration_of(const config::Value& root, const Sources& sources,
                               config::Problems& problems) {
  config::Sections values = config::read_all(sections(), root, problems);
  auto named = values.take<NamedFields>();
  add_files_of_names(root, sources, named, problems);
  values.set(std::move(named));
  Configuration configuration;
  configuration.convention = &dialects::convention_of(config::text_of(root, "legacy"));
  each_named(configuration,
             [&](auto& named) { named = values.take<std::remove_reference_t<decltype(named)>>(); });
  set_defaults_of_servers(values.get<Coupling>(), root, configuration.servers);
  add_actions(values.take<Actions>(), configuration.files);
  configuration.sections = std::move(values);
  return configuration;
}

// Trajectories have dates, which need the calendar.
void read_point_tables(Configuration& configuration, const Sources& sources, bool knows_dates,
                       config::Problems& problems) {
  for (OutputEntry& file : configuration.files)
    if (file.stations) points::read_table(*file.stations, sources, problems);
  for (OutputEntry& file : configuration.files)
    if (file.trajectories && knows_dates)
      points::read_table(*file.trajectories, sources,
                         calendar::Calendar(configuration.time.calendar, configuration.time.start), problems);
}

}  // namespace

std::string read_text(const std::string& path) {
  env::FileSystem& files = env::system_files();
  if (files.entry(path) == env::Entry::other)
    throw Error(ErrorCode::configuration, fmt::format("{} is not a file with text", path));
  if (files.exists(path)) {
    const std::uint64_t bytes = files.open(path, env::Access::read)->size();
    if (bytes > config::most_bytes)
      throw Error(ErrorCode::configuration, fmt::format("{} has {} bytes; a configuration has at most {}",
                                                        path, bytes, config::most_bytes));
  }
  return files.read(path);
}

Sources read_sources(const std::string& path, const std::string& model_text) {
  return config::read_sources(
      path, read_text, dialects::notations(),
      [](const std::vector<config::Node>& trees, config::Problems& problems) {
        return data_files(trees, env::system_files(), problems);
      },
      model_text);
}

std::string model_text_of(const Sources& sources) {
  const auto found = std::ranges::find(sources, true, &SourceFile::is_of_model);
  return found == sources.end() ? "" : found->text;
}

bool mentions_option(const Sources& sources, const std::string& name) {
  return std::ranges::any_of(sources, [whole = "{" + name + "}"](const SourceFile& source) {
    return !source.is_data && source.text.find(whole) != std::string::npos;
  });
}

namespace {

// Other programs have such a section, so that users expect one: the general message about an unknown key
// would not help them.
void refuse_metrics(config::Node& tree, config::Problems& problems) {
  constexpr const char* key = "metrics";
  const auto entry = std::ranges::find(tree.entries, key, &config::NodeEntry::key);
  if (entry == tree.entries.end()) return;
  problems.add(entry->location, key,
               "this key is unknown. The numbers of a run for Prometheus are written by `tailrace watch DIR "
               "--metrics FILE`, and served by the page of `tailrace watch`; both run beside the job");
  tree.entries.erase(entry);
}

}  // namespace

Configuration parse_configuration(const Sources& sources, const std::map<std::string, std::string>* options,
                                  const std::string& component) {
  config::Problems problems;
  auto [tree, warnings] =
      config::merge_sources(sources, {version_key, dialects::notations(), options}, problems);
  problems.throw_if_any();  // an incomplete tree would cause further, misleading messages
  forbid_placeholders(tree, problems);
  if (options != nullptr)
    fill_placeholders(tree, *options, problems);
  else if (!component.empty())
    config::fill_known_placeholders(tree, {{component_option, component}});
  const config::CheckOptions check_options{.allow_open = options == nullptr || !problems.empty()};
  refuse_metrics(tree, problems);
  const config::Value root = config::check(tree, schema(), "", check_options, problems);
  Configuration configuration = configuration_of(root, sources, problems);
  read_point_tables(configuration, sources, knows_dates(tree, problems), problems);
  fill_in_grids(configuration.files, sources);
  const bool is_known = options != nullptr || !config::has_braces(tree);  // the levels, for example
  if (problems.empty() && is_known) add_pyramids(configuration.files, problems);
  apply_tables(configuration, sources, problems);
  check_consistency(configuration, problems);
  problems.throw_if_any();
  configuration.is_consistent = true;
  configuration.text = text_of(sources);
  configuration.warnings = std::move(warnings);
  configuration.warnings.insert(configuration.warnings.end(), problems.notes().begin(),
                                problems.notes().end());
  if (options != nullptr) return configuration;
  for (const std::string& name : config::placeholders_in(tree, names_of_limits()))
    configuration.open.push_back(name);
  configuration.needs_options = config::has_braces(tree) || std::ranges::any_of(sources, is_translated);
  return configuration;
}

Configuration with_options(const Configuration& without, const Sources& sources,
                           const std::map<std::string, std::string>& options) {
  return without.needs_options ? parse_configuration(sources, &options) : without;
}

void check_consistency(const Configuration& configuration, config::Problems& problems) {
  config::Sections values = configuration.sections;
  each_named(configuration, [&](const auto& named) { values.set(named); });
  config::check_all(sections(), values, problems);
}

std::vector<std::string> fields_of(const VariableEntry& entry, const Configuration& configuration) {
  if (!entry.pattern.empty())
    return names_like(entry.pattern, configuration.field_groups, configuration.diagnostics);
  if (entry.group.empty()) return {entry.field};
  std::vector<std::string> names;
  if (const auto group = configuration.groups.find(entry.group); group != configuration.groups.end())
    for (const ListedName& listed : group->second) names.push_back(listed.name);
  return names;
}

void check_operators(const Configuration& configuration) {
  std::vector<analytics::user::Declaration> ready = configuration.operators;
  std::erase_if(ready, [](const analytics::user::Declaration& each) { return is_open(each.path); });
  config::Problems problems;
  analytics::user::make_operators(ready, problems);
  problems.throw_if_any();
}

std::string reference_markdown() {
  std::string formats = "A YAML file";
  for (const dialects::Dialect* dialect : dialects::all_dialects())
    formats +=
        fmt::format(", or {} without changes (docs/guide/{}.md)", dialect->notation(), dialect->name());
  return config::documents::reference_markdown(
      schema(),
      "# The configuration\n\n" + formats +
          ". `{name}` in a value or a key stands for the model's option of that name (`{{name}}` for the "
          "literal "
          "text); a value that begins with it must be quoted. `tailrace reference` makes this page from the "
          "declarations of the options.\n");
}

std::string json_schema() { return config::documents::json_schema(schema(), "Tailrace configuration"); }

}  // namespace tailrace::settings
