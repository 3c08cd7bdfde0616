#include "analytics/expression/nodes/never_negative.hpp"

#include <algorithm>

#include "analytics/operators/elementwise.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::expression::nodes {

bool is_never_negative(const std::vector<bool>& never_negative, const Node& made) {
  const auto known = [&](int argument) { return never_negative[base::index(argument)]; };
  if (made.kind == NodeKind::constant) return made.constant >= 0.0;
  if (made.kind != NodeKind::elementwise) return false;
  switch (static_cast<const ElementwiseOperator*>(made.op)->code()) {
    case Opcode::sqrt:
    case Opcode::abs:
    case Opcode::square: return true;
    case Opcode::mul:
      if (made.args[0] == made.args[1]) return true;
      [[fallthrough]];
    case Opcode::add: return std::all_of(made.args.begin(), made.args.end(), known);
    default: return false;
  }
}

}  // namespace tailrace::analytics::expression::nodes
