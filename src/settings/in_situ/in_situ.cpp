#include "settings/in_situ/in_situ.hpp"

#include <fmt/format.h>

#include <utility>

#include "output/options.hpp"

namespace tailrace::settings {
namespace {

using namespace config;

constexpr const char* format_name = "in_situ";  // and that of its section

output::FormatSection own_section() { return *output::find_format(format_name)->section(); }

std::vector<Option> what_it_gets() {
  return {output::attributes_option("Attributes of the datasets that the function gets."),
          variables_section().option};
}

Actions read(const Value& value, Problems& problems) {
  Actions actions;
  for (const ValueEntry& entry : value.entries()) {
    OutputEntry file;
    file.location = entry.location;
    file.path = fmt::format("{}.{}", format_name, entry.key);
    file.format = format_name;
    file.format_options = own_section().read(entry.key, entry.value, problems);
    file.attributes = output::attributes_of(entry.value);
    file.variables =
        read_part(variables_section(), entry.value, problems).value_or(std::vector<VariableEntry>());
    actions.entries.push_back(std::move(file));
  }
  return actions;
}

const SectionRegistration registration{in_situ_section};

}  // namespace

Section<Actions> in_situ_section() {
  Option option = own_section().option;
  const Type& own = option.type.parts.front();
  option.type = map(option.type.entry_name, joined_section({own.options, what_it_gets()}));
  return {.option = std::move(option), .read = read};
}

void add_actions(Actions actions, std::vector<OutputEntry>& files) {
  for (OutputEntry& entry : actions.entries) files.push_back(std::move(entry));
}

}  // namespace tailrace::settings
