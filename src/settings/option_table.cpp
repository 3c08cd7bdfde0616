#include "settings/option_table.hpp"

#include "config/read.hpp"
#include "output/variable_name.hpp"

namespace tailrace::settings {
namespace {

using config::text_of;

config::Type option_table_type() {
  using namespace config;
  return section({
      {.name = "prefix",
       .type = text(),
       .description =
           "The prefix of the names of its options, which the table omits; empty for all options. By "
           "default the name of the variable and a dot.",
       .example = "q_indicies."},
      {.name = "without",
       .type = list(text(), 1),
       .description = "Prefixes of the names of options that the table lacks, though it has their prefix.",
       .example = "[q_indicies.]"},
      {.name = "dimension",
       .type = output::variable_name_type(),
       .description =
           "The name of the dimension of the options; by default the name of the variable followed by "
           "`_entry`.",
       .example = "number_options"},
      {.name = "width",
       .type = integer(1, 32768),
       .description = "How many characters each text has at least, for readers that expect a fixed number.",
       .example = "150"},
      {.name = "optional",
       .type = flag(),
       .description = "Leaves the table out if the model sets no such option; otherwise this is an error.",
       .example = "true",
       .default_value = "false"},
  });
}

OptionTable option_table_of(const config::ValueEntry& entry, config::Problems& problems) {
  OptionTable table;
  table.name = entry.key;
  table.location = entry.location;
  table.config_path = entry.value.path();
  if (const auto complaint = output::variable_name_complaint(table.name))
    problems.add(table.location, table.config_path, *complaint);
  table.prefix = text_of(entry.value, "prefix", table.name + ".");
  if (const config::Value* without = entry.value.find("without"))
    for (const config::Value& prefix : without->items()) table.without.push_back(prefix.text());
  table.dimension = text_of(entry.value, "dimension", table.name + "_entry");
  table.width = config::integer_of(entry.value, "width", table.width);
  table.optional = config::flag_of(entry.value, "optional", table.optional);
  return table;
}

std::vector<OptionTable> read(const config::Value& value, config::Problems& problems) {
  std::vector<OptionTable> tables;
  for (const auto& entry : value.entries()) tables.push_back(option_table_of(entry, problems));
  return tables;
}

}  // namespace

config::Section<std::vector<OptionTable>> option_tables_section() {
  return {.option = {.name = "option_tables",
                     .type = config::map("variable", option_table_type()),
                     .description =
                         "Text variables with options of the model, a name and a value each, sorted by name.",
                     .example = "{options_database: {prefix: \"\"}}"},
          .read = read};
}

}  // namespace tailrace::settings
