#include "settings/groups.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace tailrace::settings {
namespace {

// A group may name other groups. A group that contains itself is a mistake, and the number of names is
// limited, since a few nested lines could expand to billions.
class Resolver {
 public:
  static constexpr std::size_t most_levels = 64;
  static constexpr std::size_t most_names = 1'000'000;  // in all groups together

  Resolver(const Groups& written, config::Problems& problems) : written_(written), problems_(problems) {}

  Groups all() {
    for (const auto& [name, members] : written_) fields_of(name);
    return std::move(resolved_);
  }

 private:
  const std::vector<ListedName>& fields_of(const std::string& group) {
    if (const auto found = resolved_.find(group); found != resolved_.end()) return found->second;
    open_.push_back(group);
    std::vector<ListedName> fields;
    std::unordered_set<std::string> nested;  // a field in two groups counts once
    for (const ListedName& member : written_.at(group)) {
      if (!written_.contains(member.name))
        fields.push_back(member);
      else if (may_enter(member))
        for (const ListedName& field : fields_of(member.name))
          if (nested.insert(field.name).second) fields.push_back(field);
      if (!has_room(fields.size(), member)) break;
    }
    open_.pop_back();
    names_ += fields.size();
    return resolved_[group] = std::move(fields);
  }

  bool may_enter(const ListedName& member) {
    const auto first = std::ranges::find(open_, member.name);
    if (first != open_.end())
      tell(member, fmt::format("the group \"{0}\" contains itself: {1}, {0}", member.name,
                               fmt::join(first, open_.end(), ", ")));
    else if (open_.size() >= most_levels)
      tell(member, fmt::format("expected at most {} levels of groups in groups", most_levels));
    else
      return true;
    return false;
  }

  bool has_room(std::size_t more, const ListedName& member) {
    if (names_ + more <= most_names) return true;
    if (!full_)
      tell(member, fmt::format("expected at most {} names in all groups, with those of groups in groups",
                               most_names));
    full_ = true;
    return false;
  }

  void tell(const ListedName& member, const std::string& what) {
    problems_.add(member.location, "groups." + open_.back(), what);
  }

  const Groups& written_;
  config::Problems& problems_;
  std::vector<std::string> open_;  // the outermost is the first
  Groups resolved_;
  std::size_t names_ = 0;  // in resolved groups
  bool full_ = false;
};

Groups read(const config::Value& value, config::Problems& problems) {
  Groups written;
  for (const auto& entry : value.entries())
    for (const config::Value& item : entry.value.items())
      written[entry.key].push_back({.name = item.text(), .location = item.location()});
  return Resolver(written, problems).all();
}

void check(const Groups& groups, const config::Sections& all, config::Problems& problems) {
  if (problems.touch("fields")) return;  // the message would be repeated
  ListedNames listed(all);
  std::set<std::tuple<std::string, int, int>>
      checked;  // places: the names of a group are also in each group that holds it
  for (const auto& [group, members] : groups)
    for (const ListedName& member : members)
      if (checked.emplace(member.location.file, member.location.line, member.location.column).second)
        listed.expect(member, "groups." + group, problems);
}

const config::SectionRegistration registration{groups_section};

}  // namespace

std::vector<std::string> names_like(const std::string& pattern, const std::vector<FieldGroup>& fields,
                                    const std::vector<DiagnosticEntry>& diagnostics) {
  std::vector<std::string> names;
  const auto take = [&](const std::string& name) {
    if (is_like(name, pattern)) names.push_back(name);
  };
  for (const FieldGroup& group : fields)
    for (const ListedName& field : group.fields) take(field.name);
  for (const DiagnosticEntry& diagnostic : diagnostics) take(diagnostic.name);
  return names;
}

config::Section<Groups> groups_section() {
  return {
      .option = {.name = "groups",
                 .type = config::map("name", config::list(config::text(), 1)),
                 .description = "Names for lists of fields and of other groups, to be used under `output`.",
                 .example = "{three_d: [u, w, theta]}"},
      .read = read,
      .check = check};
}

}  // namespace tailrace::settings
