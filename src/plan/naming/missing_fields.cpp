#include "plan/naming/missing_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <span>

namespace tailrace::plan {
namespace {

// `groups` have at least one such field.
std::string line_of(std::span<const Absent> groups) {
  std::vector<std::string> names;
  std::string place;
  bool several = false;
  for (const Absent& group : groups)
    for (const settings::ListedName& field : group.fields) {
      const std::string here = fmt::format("fields.{}.names", group.group->name);
      if (names.empty()) place = fmt::format("{}  {}", field.location.text(), here);
      several = several || !place.ends_with(here);
      names.push_back(fmt::format("\"{}\"", field.name));
    }
  const bool one = names.size() == 1;
  return fmt::format("{}{}: the model declares no field{} {}; being optional, {} left out with {} variables",
                     place, several ? " and others" : "", one ? "" : "s", fmt::join(names, ", "),
                     one ? "it is" : "they are", one ? "its" : "their");
}

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

}  // namespace

bool mentions_any(std::string_view text, const std::set<std::string, std::less<>>& names) {
  for (auto begin = text.begin(); begin != text.end();) {
    begin = std::find_if(begin, text.end(), is_name_character);
    const auto end = std::find_if_not(begin, text.end(), is_name_character);
    if (names.contains(std::string_view(begin, end))) return true;
    begin = end;
  }
  return false;
}

std::string never_sent(const settings::FieldGroup& group, const settings::ListedName& field) {
  return fmt::format(
      "{}  fields.{}.every: \"{}\" is never sent, so its variables are left out; `also_at_end: true` gives "
      "them one record",
      field.location.text(), group.name, field.name);
}

void tell_absent(const std::vector<Absent>& groups, Plan& plan) {
  constexpr std::size_t few = 5;
  std::size_t listed = 0, absent = 0;
  for (const Absent& group : groups) {
    absent += group.fields.size();
    if (group.group->optional) listed += group.group->fields.size();
  }
  if (absent == 0) return;
  if (absent <= few) plan.warnings.push_back(line_of(groups));
  for (std::size_t g = 0; absent > few && g < groups.size(); ++g)
    if (!groups[g].fields.empty()) plan.details.push_back(line_of(std::span(groups).subspan(g, 1)));
  if (absent > few)
    plan.warnings.push_back(
        fmt::format("the model declares {} of the {} optional fields; the other {} are left out with their "
                    "variables and the optional diagnostics that need them (TAILRACE_LOG=info lists them)",
                    listed - absent, listed, absent));
}

}  // namespace tailrace::plan
