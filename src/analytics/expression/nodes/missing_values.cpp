#include "analytics/expression/nodes/missing_values.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"

namespace tailrace::analytics::expression::nodes {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool gives_nan_for_nan(Opcode opcode) {
  switch (opcode) {
    case Opcode::lt:
    case Opcode::le:
    case Opcode::gt:
    case Opcode::ge:
    case Opcode::eq:
    case Opcode::ne:
    case Opcode::logical_and:
    case Opcode::logical_or:
    case Opcode::logical_not:
    case Opcode::where:
    case Opcode::pow:
    case Opcode::hypot: return false;
    default: return true;
  }
}

}  // namespace

std::optional<Value> MissingValues::any_absent(const std::vector<Value>& arguments) {
  std::optional<Value> any;
  for (const Value& value : arguments) {
    if (!value.may_miss) continue;
    const Value absent = builder_.computed(Opcode::isnan, {value});
    any = any ? builder_.computed(Opcode::logical_or, {*any, absent}) : absent;
  }
  return any;
}

Value MissingValues::missing_where(const Value& absent, Value result) {
  result.node = builder_.computed(Opcode::where, {absent, builder_.number(nan), result}).node;
  result.may_miss = true;
  return result;
}

Value MissingValues::elementwise(Opcode opcode, std::vector<Value> arguments) {
  const Value result = builder_.computed(opcode, arguments);
  if (!result.may_miss || gives_nan_for_nan(opcode)) return result;
  if (opcode == Opcode::where) arguments.resize(1);  // of the other two only the chosen one matters
  const auto absent = any_absent(arguments);
  return absent ? missing_where(*absent, result) : result;
}

// Number of valid cells for each cell of the result.
Value MissingValues::number_present(const std::string& name, const Operator& op, const Call& call,
                                    const std::vector<Value>& given) {
  const Value absent = *any_absent(given);
  if (dynamic_cast<const Reduction*>(&op) == nullptr) {
    Call same = call;
    same.parameters.erase("skip_missing");
    return builder_.applied(
        name, op, std::move(same),
        {builder_.computed(Opcode::where, {absent, builder_.number(0.0), builder_.number(1.0)})});
  }
  const Operator* count = find_operator("count");
  TAILRACE_ASSERT(count != nullptr, "count is built in");
  Call counted;
  counted.dims = call.dims;
  return builder_.applied("count", *count, std::move(counted),
                          {given.size() == 1 ? given[0] : missing_where(absent, given[0])});
}

Value MissingValues::apply(const std::string& name, const Operator& op, Call call,
                           const std::vector<Value>& given) {
  const bool may_miss = std::ranges::any_of(given, &Value::may_miss);
  if (!may_miss || !op.can_skip_missing() || op.counts())
    return builder_.applied(name, op, std::move(call), given);
  call.parameters.try_emplace("skip_missing", 1.0);
  const bool skips = call.parameters.at("skip_missing") == ParameterValue(1.0);
  const Value result = builder_.applied(name, op, call, given);
  if (!skips || !op.is_zero_of_nothing(call)) return result;
  const Value none =
      builder_.computed(Opcode::eq, {number_present(name, op, call, given), builder_.number(0.0)});
  return missing_where(none, result);
}

}  // namespace tailrace::analytics::expression::nodes
