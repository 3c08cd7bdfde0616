#include "plan/naming/name_patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/nearest_name.hpp"
#include "config/problems.hpp"

namespace tailrace::plan {
namespace {

using settings::FieldGroup;
using settings::ListedName;

bool has_pattern(const FieldGroup& group) {
  return std::ranges::any_of(group.fields,
                             [](const ListedName& field) { return settings::is_pattern(field.name); });
}

class Expansion {
 public:
  Expansion(const std::vector<FieldGroup>& groups, const model::Declarations& declarations)
      : declared_(declarations.field_names()) {
    for (const FieldGroup& group : groups)
      for (const ListedName& field : group.fields)
        if (!settings::is_pattern(field.name)) listed_.insert(field.name);
  }

  void expand(FieldGroup& group) {
    std::vector<ListedName> fields;
    for (ListedName& field : group.fields)
      if (settings::is_pattern(field.name))
        add_like(field, group, fields);
      else
        fields.push_back(std::move(field));
    group.fields = std::move(fields);
  }

  config::Problems problems;

 private:
  void add_like(const ListedName& pattern, const FieldGroup& group, std::vector<ListedName>& fields) {
    bool any = false;
    for (const std::string& name : declared_) {
      if (!settings::is_like(name, pattern.name)) continue;
      any = true;
      if (listed_.insert(name).second) fields.push_back({.name = name, .location = pattern.location});
    }
    if (any || group.optional) return;
    std::string letters = pattern.name;
    std::erase_if(letters, [](char letter) { return letter == '*' || letter == '?'; });
    problems.add(pattern.location, "fields." + group.name + ".names",
                 fmt::format("the model declares no field like \"{}\".{}", pattern.name,
                             base::name_hint(letters, declared_)));
  }

  std::vector<std::string> declared_;
  std::unordered_set<std::string> listed_;
};

}  // namespace

settings::Configuration with_patterns(settings::Configuration configuration,
                                      const model::Declarations& declarations) {
  if (std::ranges::none_of(configuration.field_groups, has_pattern)) return configuration;
  Expansion expansion(configuration.field_groups, declarations);
  for (FieldGroup& group : configuration.field_groups) expansion.expand(group);
  expansion.problems.throw_if_any();
  settings::check_consistency(configuration, expansion.problems);
  expansion.problems.throw_if_any();
  return configuration;
}

}  // namespace tailrace::plan
