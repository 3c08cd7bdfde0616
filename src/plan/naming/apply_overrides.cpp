#include "plan/naming/apply_overrides.hpp"

#include <utility>

#include "plan/masks.hpp"
#include "plan/naming/field_metadata.hpp"

namespace tailrace::plan {

model::Declarations apply_overrides(const settings::Configuration& configuration,
                                    model::Declarations declarations) {
  return with_fill_values(configuration, with_metadata(std::move(declarations), configuration));
}

}  // namespace tailrace::plan
