// Optional fields that the model does not declare: what is said of them.
#pragma once

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

}  // namespace tailrace::plan
