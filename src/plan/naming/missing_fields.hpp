// Fields that do not come, or not when one might think: what is said of them.
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

// Those of a group.
struct Absent {
  const settings::FieldGroup* group;
  std::vector<settings::ListedName> fields;
};

// A warning that names them where they are few. A configuration for many models names hundreds of fields: of
// those there is one warning in all, and the others are details.
void tell_absent(const std::vector<Absent>& groups, Plan& plan);
// Whether an expression names one of them.
bool mentions_any(std::string_view text, const std::set<std::string, std::less<>>& names);

// A warning for a field whose group has no period.
std::string never_sent(const settings::FieldGroup& group, const settings::ListedName& field);

}  // namespace tailrace::plan
