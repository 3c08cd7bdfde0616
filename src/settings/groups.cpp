#include "settings/groups.hpp"

namespace tailrace::settings {
namespace {

Groups read(const config::Value& value, config::Problems&) {
  Groups groups;
  for (const auto& entry : value.entries())
    for (const config::Value& item : entry.value.items())
      groups[entry.key].push_back({.name = item.text(), .location = item.location()});
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

config::Section<Groups> groups_section() {
  return {.option = {.name = "groups",
                     .type = config::map("name", config::list(config::text(), 1)),
                     .says = "Names for lists of fields, to be used under `output`.",
                     .example = "{three_d: [u, w, theta]}"},
          .read = read,
          .check = check};
}

}  // namespace tailrace::settings
