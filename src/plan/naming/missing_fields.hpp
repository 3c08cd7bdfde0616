// Warnings about fields that the model does not declare, or that come at unexpected times.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.hpp"
#include "settings/fields.hpp"

namespace tailrace::plan {

// The missing fields of a group.
struct Absent {
  const settings::FieldGroup* group;
  std::vector<settings::ListedName> fields;
};

// One warning that names the fields if they are few. A configuration for many models names hundreds of
// fields: then there is one warning in all, and the names are details.
void tell_absent(const std::vector<Absent>& groups, Plan& plan);
// True if an expression names one of them.
bool mentions_any(std::string_view text, const std::set<std::string, std::less<>>& names);

// A warning for a field whose group has no period.
std::string never_sent(const settings::FieldGroup& group, const settings::ListedName& field);

}  // namespace tailrace::plan
