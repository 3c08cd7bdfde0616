#include "plan/words/as_configured.hpp"

#include <utility>

#include "plan/masks/masks.hpp"
#include "plan/tables/field_words.hpp"

namespace tailrace::plan {

model::Declarations as_configured(const settings::Configuration& configuration,
                                  model::Declarations declarations) {
  return with_fill_values(configuration, with_words(std::move(declarations), configuration));
}

}  // namespace tailrace::plan
