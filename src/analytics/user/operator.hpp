// User-defined operators as kernels of expressions.
#pragma once

#include <memory>

#include "analytics/operator.hpp"
#include "analytics/user/declaration.hpp"
#include "analytics/user/function.hpp"

namespace tailrace::analytics::user {

std::shared_ptr<const Operator> make_operator(const Declaration& declaration,
                                              std::shared_ptr<const Function> function);

// The operators of all declarations, by name; functions that cannot be loaded are added to `problems`.
Operators make_operators(const std::vector<Declaration>& declarations, config::Problems& problems);

}  // namespace tailrace::analytics::user
