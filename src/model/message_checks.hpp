// Checks that the contents of a message are consistent, so that every number in it can be used safely.
#pragma once

#include <cstddef>

#include "model/declarations.hpp"

namespace tailrace::model {

// Of a component of so many ranks. Throws Error(internal) that names what does not fit; a message of another
// rank of the job is damaged then. What a model can get wrong is checked where it declares.
void check_message(const Declarations& declarations, const Decomposition& decomposition, std::size_t ranks);

}  // namespace tailrace::model
