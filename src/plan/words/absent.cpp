#include "plan/words/absent.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

namespace tailrace::plan {
namespace {

std::string line_of(const Absent& absent) {
  std::vector<std::string> names;
  for (const settings::ListedName& field : absent.fields) names.push_back(fmt::format("\"{}\"", field.name));
  const bool one = names.size() == 1;
  return fmt::format(
      "{}  fields.{}.names: the model declares no field{} {}; being optional, {} left out with "
      "{} variables",
      absent.fields.front().location.text(), absent.group->name, one ? "" : "s", fmt::join(names, ", "),
      one ? "it is" : "they are", one ? "its" : "their");
}

}  // namespace

void tell_absent(const std::vector<Absent>& groups, Plan& plan) {
  constexpr std::size_t few = 5;
  std::size_t listed = 0, absent = 0;
  for (const Absent& group : groups) {
    absent += group.fields.size();
    if (group.group->optional) listed += group.group->fields.size();
  }
  std::vector<std::string>& lines = absent > few ? plan.details : plan.warnings;
  for (const Absent& group : groups)
    if (!group.fields.empty()) lines.push_back(line_of(group));
  if (absent > few)
    plan.warnings.push_back(
        fmt::format("the model declares {} of the {} optional fields; the other {} are left out with their "
                    "variables (TAILRACE_LOG=info lists them)",
                    listed - absent, listed, absent));
}

}  // namespace tailrace::plan
