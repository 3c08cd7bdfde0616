// Text variables with the options of the model.
#pragma once

#include <vector>

#include "cf/grid.hpp"
#include "cf/layout.hpp"

namespace tailrace::cf {

// Adds their dims and texts: (entry, 2, characters), a name and a value. Their dims are
// called `kvp` and `string`, as readers of such tables expect.
void add_option_tables(DatasetLayout& layout, const std::vector<plan::OptionTablePlan>& tables, Names& names);

}  // namespace tailrace::cf
