#include "plan/option_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_name.hpp"

namespace tailrace::plan {
namespace {

// The part of each name up to its last dot, with the dot.
std::vector<std::string> prefixes_in(const std::map<std::string, std::string>& options) {
  std::vector<std::string> prefixes;
  for (const auto& [name, value] : options)
    if (const auto point = name.rfind('.'); point != std::string::npos)
      if (const std::string prefix = name.substr(0, point + 1); std::ranges::count(prefixes, prefix) == 0)
        prefixes.push_back(prefix);
  return prefixes;
}

}  // namespace

std::vector<OptionTablePlan> plan_option_tables(const settings::OutputEntry& file,
                                                const std::map<std::string, std::string>& options,
                                                std::map<std::string, config::Location>& names,
                                                config::Problems& problems) {
  std::vector<OptionTablePlan> tables;
  for (const settings::OptionTable& entry : file.option_tables) {
    OptionTablePlan table{entry.name, entry.dimension, {}, entry.width};
    const auto is_left_out = [&entry](const std::string& name) {
      return std::ranges::any_of(entry.without, [&](const auto& prefix) { return name.starts_with(prefix); });
    };
    for (const auto& [name, value] : options)
      if (name.starts_with(entry.prefix) && !is_left_out(name))
        table.entries.emplace_back(name.substr(entry.prefix.size()), value);
    if (!table.entries.empty()) {
      if (!names.try_emplace(entry.name, entry.location).second)
        problems.add(entry.location, entry.config_path,
                     fmt::format("\"{}\" is the name of a variable of the file", entry.name));
      tables.push_back(std::move(table));
    } else if (!entry.optional) {
      problems.add(entry.location, entry.config_path,
                   fmt::format("the model gave no option whose name begins with \"{}\"; set `optional: true` "
                               "to leave the table out in this case.{}",
                               entry.prefix, base::name_hint(entry.prefix, prefixes_in(options))));
    }
  }
  return tables;
}

}  // namespace tailrace::plan
