// User operators as kernels of expressions.
#pragma once

#include <memory>

#include "analytics/operator.hpp"
#include "analytics/user/declaration.hpp"
#include "analytics/user/function.hpp"

namespace tailrace::analytics::user {

std::shared_ptr<const Operator> make_operator(const Declaration& declaration,
                                              std::shared_ptr<const Function> function);

// Of all declarations, by name; what cannot be loaded is added to `problems`.
Operators make_operators(const std::vector<Declaration>& declarations, config::Problems& problems);

}  // namespace tailrace::analytics::user
