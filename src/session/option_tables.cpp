#include "session/option_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_name.hpp"
#include "session/cf_grid.hpp"

namespace tailrace::session {
namespace {

int add_dim(FileLayout& layout, const std::string& name, std::size_t size, Names& names) {
  layout.dataset.dims.push_back({names.take(name, "dimension"), static_cast<std::int64_t>(size), false});
  return static_cast<int>(layout.dataset.dims.size()) - 1;
}

std::vector<std::string> texts_of(const OptionTablePlan& table) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : table.entries) texts.insert(texts.end(), {name, value});
  return texts;
}

// What stands before the last point of each name, with the point.
std::vector<std::string> prefixes_in(const std::map<std::string, std::string>& options) {
  std::vector<std::string> prefixes;
  for (const auto& [name, value] : options)
    if (const auto point = name.rfind('.'); point != std::string::npos)
      if (const std::string prefix = name.substr(0, point + 1); std::ranges::count(prefixes, prefix) == 0)
        prefixes.push_back(prefix);
  return prefixes;
}

}  // namespace

std::vector<OptionTablePlan> plan_option_tables(const FileEntry& file,
                                                const std::map<std::string, std::string>& options,
                                                std::map<std::string, config::Location>& names,
                                                config::Problems& problems) {
  std::vector<OptionTablePlan> tables;
  for (const OptionTable& entry : file.option_tables) {
    OptionTablePlan table{entry.name, entry.dimension, {}};
    for (const auto& [name, value] : options)
      if (name.starts_with(entry.prefix)) table.entries.emplace_back(name.substr(entry.prefix.size()), value);
    if (!table.entries.empty()) {
      if (!names.try_emplace(entry.name, entry.location).second)
        problems.add(entry.location, entry.config_path,
                     fmt::format("\"{}\" is the name of a variable of the file", entry.name));
      tables.push_back(std::move(table));
    } else if (!entry.optional) {
      problems.add(entry.location, entry.config_path,
                   fmt::format("the model gave no option whose name begins with \"{}\"; say `optional: true` "
                               "to leave the table out then.{}",
                               entry.prefix, base::name_hint(entry.prefix, prefixes_in(options))));
    }
  }
  return tables;
}

void add_option_tables(FileLayout& layout, const std::vector<OptionTablePlan>& tables, Names& names) {
  if (tables.empty()) return;
  std::size_t longest = 1;
  for (const OptionTablePlan& table : tables)
    for (const std::string& text : texts_of(table)) longest = std::max(longest, text.size());
  const int pair = add_dim(layout, "kvp", 2, names);
  const int characters = add_dim(layout, "string", longest, names);
  for (const OptionTablePlan& table : tables) {
    const int entries = add_dim(layout, table.dimension, table.entries.size(), names);
    layout.dataset.texts.push_back(
        {table.name,
         {entries, pair, characters},
         texts_of(table),
         {{"long_name", std::string("names and values of options of the model")}}});
  }
}

}  // namespace tailrace::session
