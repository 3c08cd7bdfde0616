// Checks that a received message is consistent, so that every index in it is valid.
#pragma once

#include <cstddef>

#include "model/declarations.hpp"

namespace tailrace::model {

// `ranks`: of the component. Throws Error(internal) that names the inconsistency, which means that the
// message was damaged. Mistakes of a model are found earlier, when it declares.
void check_message(const Declarations& declarations, const Decomposition& decomposition, std::size_t ranks);

}  // namespace tailrace::model
