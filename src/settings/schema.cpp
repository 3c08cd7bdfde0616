#include "settings/schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>

#include "dialects/dialect.hpp"
#include "settings/streams.hpp"

namespace tailrace::settings {
namespace {

using namespace config;

const std::vector<std::string> order{"servers",     "model_time", "cmip",   "names",     "fields", "grids",
                                     "diagnostics", "operators",  "groups", "defaults",  "output", "in_situ",
                                     "input",       "regrid",     "yac",    "checkpoint"};

std::optional<std::string> version_complaint(const std::string& text) {
  if (text == "1") return std::nullopt;
  return fmt::format("this Tailrace reads version 1 of the configuration, but got \"{}\"", text);
}

std::string legacy_rules() {
  std::string rules;
  for (const dialects::Dialect* dialect : dialects::all_dialects())
    rules += fmt::format(" `{}`: {}.", dialect->name(), dialect->legacy_rules());
  return rules;
}

std::string other_notations() {
  std::vector<std::string> notations;
  for (const dialects::Dialect* dialect : dialects::all_dialects()) notations.push_back(dialect->notation());
  return notations.empty() ? "" : fmt::format("; {} is accepted too", fmt::join(notations, " or "));
}

std::vector<Option> options_of_no_room() {
  return {
      {.name = "tailrace",
       .type = checked("`1`", version_complaint),
       .description = "The version of the configuration's schema.",
       .example = "1",
       .required = true},
      {.name = "legacy",
       .type = choice(dialects::dialect_names()),
       .description = "The program whose values are reproduced even where they are wrong." + legacy_rules(),
       .example = dialects::dialect_names().front()},
      {.name = "include",
       .type = list(text()),
       .description = "Files to include, relative to this file" + other_notations() + ". Maps are merged.",
       .example = "[fields.yaml]"},
      streams_option(),
  };
}

std::vector<Option> options_of_sections() {
  std::vector<Option> options;
  for (const AnySection& each : sections()) options.push_back(each.option);
  return options;
}

}  // namespace

const std::vector<AnySection>& sections() {
  static const std::vector<AnySection> registered = registered_sections(order);
  return registered;
}

const Type& schema() {
  static const Type root = [] {
    Type made = joined_section({options_of_no_room(), options_of_sections()});
    assert_well_declared(made);
    return made;
  }();
  return root;
}

}  // namespace tailrace::settings
