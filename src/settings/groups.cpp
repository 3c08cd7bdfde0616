#include "settings/groups.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <iterator>

namespace tailrace::settings {
namespace {

// A group may name other groups. One that is reached from within itself is a mistake.
class Resolver {
 public:
  Resolver(const Groups& written, config::Problems& problems) : written_(written), problems_(problems) {}

  std::vector<ListedName> fields_of(const std::string& group) {
    std::vector<ListedName> fields;
    open_.push_back(group);
    for (const ListedName& member : written_.at(group)) {
      if (!written_.contains(member.name))
        fields.push_back(member);
      else if (std::ranges::find(open_, member.name) != open_.end())
        tell_circle(member);
      else
        std::ranges::copy(fields_of(member.name), std::back_inserter(fields));
    }
    open_.pop_back();
    return fields;
  }

 private:
  // Once, from the group that comes first.
  void tell_circle(const ListedName& member) {
    if (open_.front() != member.name || std::ranges::min(open_) != member.name) return;
    problems_.add(member.location, "groups." + open_.back(),
                  fmt::format("the group \"{}\" contains itself: {}, {}", member.name, fmt::join(open_, ", "),
                              member.name));
  }

  const Groups& written_;
  config::Problems& problems_;
  std::vector<std::string> open_;  // from the outermost
};

Groups read(const config::Value& value, config::Problems& problems) {
  Groups written;
  for (const auto& entry : value.entries())
    for (const config::Value& item : entry.value.items())
      written[entry.key].push_back({.name = item.text(), .location = item.location()});
  Groups groups;
  for (const auto& [name, members] : written) groups[name] = Resolver(written, problems).fields_of(name);
  return groups;
}

void check(const Groups& groups, const config::Sections& all, config::Problems& problems) {
  if (problems.touch("fields")) return;  // it would only repeat the mistake
  ListedNames listed(all);
  for (const auto& [group, members] : groups)
    for (const ListedName& member : members) listed.expect(member, "groups." + group, problems);
}

const config::SectionRegistration registration{groups_section};

}  // namespace

std::vector<std::string> names_like(const std::string& pattern, const std::vector<FieldGroup>& fields,
                                    const std::vector<DiagnosticEntry>& diagnostics) {
  std::vector<std::string> names;
  const auto take = [&](const std::string& name) {
    const std::string bare = name.substr(name.rfind('.') + 1);
    if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0 || fnmatch(pattern.c_str(), bare.c_str(), 0) == 0)
      names.push_back(name);
  };
  for (const FieldGroup& group : fields)
    for (const ListedName& field : group.fields) take(field.name);
  for (const DiagnosticEntry& diagnostic : diagnostics) take(diagnostic.name);
  return names;
}

config::Section<Groups> groups_section() {
  return {.option = {.name = "groups",
                     .type = config::map("name", config::list(config::text(), 1)),
                     .says = "Names for lists of fields and of other groups, to be used under `output`.",
                     .example = "{three_d: [u, w, theta]}"},
          .read = read,
          .check = check};
}

}  // namespace tailrace::settings
