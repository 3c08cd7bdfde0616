#include "session/configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/check.hpp"
#include "config/json_schema.hpp"
#include "config/placeholders.hpp"
#include "config/reference.hpp"
#include "env/file_system.hpp"
#include "session/configuration_values.hpp"
#include "session/consistency.hpp"
#include "session/options.hpp"

namespace tailrace::session {
namespace {

constexpr const char* version_key = "tailrace";

std::string text_of(const Sources& sources) {
  if (sources.size() == 1) return sources.front().text;
  std::string text;
  for (const SourceFile& source : sources) text += fmt::format("# {}\n{}\n", source.name, source.text);
  return text;
}

// The servers start before the model has given its options.
void forbid_placeholders(const config::Node& tree, config::Problems& problems) {
  for (const char* key : {version_key, "servers"}) {
    const config::NodeEntry* entry = tree.find(key);
    if (entry == nullptr) continue;
    for (const std::string& name : config::placeholders_in(entry->value))
      problems.add(
          entry->value.location, key,
          fmt::format("\"{{{}}}\" cannot be used here: this part is read before the model gives its options",
                      name));
  }
}

// Those of expressions stay as they are: who reads an expression fills them in, and knows their columns.
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
  config::fill_placeholders(tree, options, "", problems);
  std::size_t next = 0;
  each_expression([&](std::string& text) { text = expressions[next++]; });
}

}  // namespace

Sources read_sources(const std::string& path) {
  return config::read_sources(path, [](const std::string& name) { return env::system_files().read(name); });
}

Configuration parse_configuration(const Sources& sources, const std::map<std::string, std::string>* options) {
  config::Problems problems;
  std::vector<std::string> warnings;
  config::Node tree = config::merge_sources(sources, version_key, options, problems, warnings);
  problems.throw_if_any();  // a tree with holes would only give further, misleading mistakes
  forbid_placeholders(tree, problems);
  if (options != nullptr) fill_placeholders(tree, *options, problems);
  const config::CheckOptions check_options{.allow_open = options == nullptr || !problems.empty()};
  const config::Value root = config::check(tree, schema(), "", check_options, problems);
  Configuration configuration = configuration_of(root, problems);
  check_consistency(configuration, problems);
  problems.throw_if_any();
  configuration.text = text_of(sources);
  configuration.warnings = std::move(warnings);
  if (options == nullptr)
    for (const std::string& name : config::placeholders_in(tree)) configuration.open.push_back(name);
  return configuration;
}

std::string reference_markdown() {
  return config::reference_markdown(schema(),
                                    "# The configuration\n\nA YAML file, or MONC's XML as it stands "
                                    "(docs/guide/monc.md). `{name}` inside a value or a key "
                                    "stands for the option of that name which the "
                                    "model gives (`{{name}}` for the text itself); a value that starts with "
                                    "it must be put in quotes. This page is made from the "
                                    "declarations of the options by `tailrace reference`.\n");
}

std::string json_schema() { return config::json_schema(schema(), "Tailrace configuration"); }

}  // namespace tailrace::session
