#include "settings/fields.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>

#include "base/nearest_name.hpp"
#include "config/placeholders.hpp"
#include "config/read.hpp"
#include "settings/diagnostics.hpp"
#include "time/model_time.hpp"

namespace tailrace::settings {
namespace {

using config::Value;
using FieldGroups = std::vector<FieldGroup>;

config::Type field_group_type() {
  using namespace config;
  return section({
      {.name = "every",
       .type = time::sampling_type(),
       .description =
           "How often the model sends these fields. `once` is for fixed ones, such as orography, areas "
           "and masks: they are put in the first step, or before it, have no time dimension in files, and "
           "keep their values in expressions.",
       .example = "10 s",
       .default_value = "1 step"},
      {.name = "also_at_end",
       .type = flag(),
       .description =
           "With `every: never`: the last values that the model put, at any step, become one record when "
           "the run ends. With a period: one more record of each snapshot at that period, where the run "
           "ends between two steps of it. `wants` is true at each step; a model that knows its last step "
           "puts the fields there alone.",
       .example = "true",
       .default_value = "false"},
      {.name = "names",
       .type = list(text(), 1),
       .description =
           "The fields, as the model declares them. A name with `*` (any characters) or `?` (one) stands for "
           "all fields like it that the model declares and that no group lists by their names: `[\"*\"]` for "
           "all, also those that a later version of the model adds.",
       .example = "[u, w, theta]",
       .required = true},
      {.name = "optional",
       .type = flag(),
       .description =
           "Whether these fields may be missing. A field that the model does not declare is left out, "
           "with the variables made from it. A field that is wanted but not put is ignored at that step, "
           "and a record without any sample holds the fill value. Otherwise both are errors.",
       .example = "true",
       .default_value = "false"},
      {.name = "namespace",
       .type = text(),
       .description =
           "A prefix for each name: with `scalar`, `vwp` stands for `scalar.vwp`. A field that the model "
           "declares without a namespace stands for its name in all of them.",
       .example = "scalar"},
      {.name = "dims",
       .type = list(text(), 1),
       .description =
           "The dimensions of these fields in files, slowest first. If the model declares several grids with "
           "the same cells, the fields get the one with these dimensions, and its coordinates.",
       .example = "[x, y, zn]"},
  });
}

FieldGroup field_group_of(const config::ValueEntry& entry) {
  const time::WrittenPeriod every = time::period_of(entry.value, "every");
  FieldGroup group{.name = entry.key, .every = every.period, .every_location = every.location};
  group.optional = config::flag_of(entry.value, "optional", group.optional);
  group.also_at_end = config::flag_of(entry.value, "also_at_end", group.also_at_end);
  group.once = time::is_once(entry.value, "every");
  if (const Value* dims = entry.value.find("dims"))
    for (const Value& dim : dims->items()) group.dims.push_back(dim.text());
  const std::string space = config::text_of(entry.value, "namespace");
  if (const Value* names = entry.value.find("names"))
    for (const Value& name : names->items())
      group.fields.push_back(
          {.name = space.empty() ? name.text() : space + "." + name.text(), .location = name.location()});
  return group;
}

FieldGroups read(const Value& value, config::Problems&) {
  FieldGroups groups;
  for (const auto& entry : value.entries()) groups.push_back(field_group_of(entry));
  return groups;
}

void check_listed_once(const FieldGroups& groups, config::Problems& problems) {
  std::map<std::string, config::Location> seen;
  for (const FieldGroup& group : groups) {
    for (const auto& [name, where] : group.fields) {
      const auto [first, fresh] = seen.try_emplace(name, where);
      if (!fresh)
        problems.add(where, "fields." + group.name + ".names",
                     fmt::format("\"{}\" is listed twice under `fields`; the first is at {}", name,
                                 first->second.text()));
    }
  }
}

void check(const FieldGroups& groups, const config::Sections& all, config::Problems& problems) {
  for (const FieldGroup& group : groups) {
    check_months(group.every, group.every_location, "fields." + group.name + ".every", all, problems);
    if (group.once && group.also_at_end)
      problems.add(
          group.every_location, "fields." + group.name + ".every",
          "`once` and `also_at_end: true` exclude each other: what is put once does not change until "
          "the end");
  }
  check_listed_once(groups, problems);
  for (const FieldGroup& group : groups)
    for (const ListedName& field : group.fields)
      if (is_pattern(field.name) && !group.dims.empty())
        problems.add(
            field.location, "fields." + group.name + ".names",
            fmt::format("\"{}\" stands for fields on any grid, and the group has `dims`; expected the "
                        "names of the fields with these dimensions",
                        field.name));
}

const config::SectionRegistration registration{fields_section};

}  // namespace

config::Section<FieldGroups> fields_section() {
  return {.option = {.name = "fields",
                     .type = config::map("name", field_group_type()),
                     .description = "The fields that the model is asked to send, and how often, in groups.",
                     .example = "{state: {every: 1 step, names: [u, w, theta]}}"},
          .read = read,
          .check = check};
}

void check_months(const time::Period& period, const config::Location& where, const std::string& path,
                  const config::Sections& all, config::Problems& problems) {
  const bool none = all.is_sound("model_time") && all.get<time::ModelTime>().calendar == "none";
  if (period.kind() != time::PeriodKind::months || !none || where.line == 0) return;
  problems.add(
      where, path,
      fmt::format(
          "no step can meet \"{}\": months and years need a calendar, and `model_time.calendar` is none",
          period.sentence()));
}

bool is_pattern(const std::string& name) { return name.find_first_of("*?") != std::string::npos; }

bool is_like(const std::string& name, const std::string& pattern) {
  const std::string bare = name.substr(name.rfind('.') + 1);
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0 || fnmatch(pattern.c_str(), bare.c_str(), 0) == 0;
}

void ListedNames::add(const std::string& name) {
  names_.insert(name);
  any_open_ = any_open_ || is_open(name) || is_pattern(name);
}

ListedNames::ListedNames(const config::Sections& all) {
  for (const FieldGroup& group : all.get<FieldGroups>())
    for (const ListedName& field : group.fields) add(field.name);
  for (const DiagnosticEntry& diagnostic : all.get<std::vector<DiagnosticEntry>>()) add(diagnostic.name);
}

void ListedNames::expect(const ListedName& name, const std::string& path, config::Problems& problems) {
  if (any_open_ || names_.contains(name.name) || is_open(name.name)) return;
  problems.add(
      name.location, path,
      fmt::format("\"{}\" is neither listed under `fields`, so that the model is asked for it, nor under "
                  "`diagnostics`.{}",
                  name.name, hint(name.name)));
}

void ListedNames::expect_like(const ListedName& pattern, const std::string& path,
                              config::Problems& problems) {
  if (any_open_ || is_open(pattern.name)) return;
  if (std::ranges::any_of(names_, [&](const std::string& name) { return is_like(name, pattern.name); }))
    return;
  std::string letters = pattern.name;
  std::erase_if(letters, [](char letter) { return letter == '*' || letter == '?'; });
  problems.add(pattern.location, path,
               fmt::format("no name listed under `fields` or `diagnostics` is like \"{}\".{}", pattern.name,
                           hint(letters)));
}

std::string ListedNames::hint(const std::string& name) {
  if (!hints_) hints_.emplace(std::vector(names_.begin(), names_.end()));
  return hints_->about(name);
}

std::string FieldHints::about(const std::string& name) {
  if (++given_ > most) return "";
  const std::string* found = nullptr;
  for (const std::string& candidate : known_)
    if (candidate.ends_with("." + name) && (found == nullptr || candidate < *found)) found = &candidate;
  if (found != nullptr) return fmt::format(" Did you mean \"{}\"?", *found);
  return base::name_hint(name, known_);
}

}  // namespace tailrace::settings
