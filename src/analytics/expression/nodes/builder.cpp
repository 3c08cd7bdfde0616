#include "analytics/expression/nodes/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "analytics/expression/nodes/missing_values.hpp"
#include "analytics/expression/nodes/never_negative.hpp"
#include "analytics/expression/nodes/node_key.hpp"
#include "base/index.hpp"
#include "units/unit_system.hpp"

namespace tailrace::analytics::expression::nodes {

namespace {

bool has_known_units(const Value& value) { return value.units && units::unit_system().knows(*value.units); }

std::string advice(const std::string& units) {
  return fmt::format(
      "convert with to_units(..., units=\"{0}\"), or, if the numbers are already in {0}, state this with "
      "with_units(..., units=\"{0}\")",
      units);
}

std::vector<int> nodes_of(const std::vector<Value>& values) {
  std::vector<int> nodes;
  for (const Value& value : values) nodes.push_back(value.node);
  return nodes;
}

bool any(const std::vector<Value>& values, bool Value::*flag) {
  return std::any_of(values.begin(), values.end(), [&](const Value& value) { return value.*flag; });
}

}  // namespace

int Builder::add(Node made) {
  const auto [entry, is_new] = known_.try_emplace(key_of(made), static_cast<int>(nodes_.size()));
  if (is_new) {
    never_negative_.push_back(is_never_negative(never_negative_, made));
    nodes_.push_back(std::move(made));
  }
  return entry->second;
}

Value Builder::input(int number, const std::string& name, const Shape& shape) {
  const std::optional<std::string> units = shape.units && !shape.units->empty() ? shape.units : std::nullopt;
  return {add(input_node(number, name, shape)), units};
}

Value Builder::number(double value) {
  Value result{add(constant_node(value)), "1"};
  result.bare = true;
  return result;
}

Shape Builder::shape(const Value& value) const { return {dims(value), value.units}; }

std::optional<double> Builder::constant(const Value& value) const {
  if (node(value).kind != NodeKind::constant) return std::nullopt;
  return node(value).constant;
}

Value Builder::scale_and_shift(Value value, double scale, double offset) {
  Value result = value;
  const auto step = [&](Opcode opcode, double by) {
    const std::vector<Value> arguments{result, number(by)};
    if (const auto known = constant(result)) {
      result.node = number(evaluate(opcode, *known, by)).node;
      return;
    }
    Call call;
    call.arguments = {shape(result), {{}, opcode == Opcode::add ? result.units : "1"}};
    const Shape made{dims(result), value.units};
    result.node = elementwise_node(analytics::elementwise(opcode), std::move(call), made, arguments);
  };
  if (scale != 1.0) step(Opcode::mul, scale);
  if (offset != 0.0) step(Opcode::add, offset);
  return result;
}

Value Builder::to_units(const Value& value, const std::string& units, int argument) {
  const units::UnitSystem& system = units::unit_system();
  if (!system.knows(units))
    throw CallProblem(-1, "units", fmt::format("UDUNITS does not know the units \"{}\"", units));
  if (!has_known_units(value))
    throw CallProblem(argument, "",
                      fmt::format("the units of this are unknown; state them with with_units(..., "
                                  "units=...), here \"{}\" if that is correct",
                                  units));
  const auto conversion = system.conversion(*value.units, units);
  if (!conversion)
    throw CallProblem(
        argument, "",
        fmt::format("this is in \"{}\", which cannot be converted to \"{}\"", *value.units, units));
  Value result = scale_and_shift(value, conversion->scale, conversion->offset);
  result.units = units;
  result.scaled = result.bare = false;
  return result;
}

Value Builder::converted(const Value& value, const std::string& to, int argument, const std::string& what) {
  const auto conversion = units::unit_system().conversion(*value.units, to);
  const std::string both = fmt::format("{}: the units \"{}\" and \"{}\"", what, to, *value.units);
  if (!conversion) throw CallProblem(argument, "", fmt::format("{} are incompatible", both));
  if (conversion->offset != 0.0)
    throw CallProblem(argument, "", fmt::format("{} have different origins; {}", both, advice(to)));
  if (conversion->scale != 1.0 && value.scaled)
    throw CallProblem(argument, "",
                      fmt::format("{} differ by a factor of {:.6g}, and one was multiplied by a number that "
                                  "may be the conversion; {}",
                                  both, conversion->scale, advice(to)));
  Value result = scale_and_shift(value, conversion->scale, 0.0);
  result.units = to;
  return result;
}

void Builder::forbid_origins(const ElementwiseOperator& op, const std::vector<Value>& arguments) const {
  const bool adds = op.rule() == UnitRule::sum && op.verb() != "compared";
  const bool multiplies =
      op.rule() == UnitRule::product || op.rule() == UnitRule::quotient || op.rule() == UnitRule::power;
  if (!adds && !multiplies) return;
  // A bare number may be added or multiplied: it shifts or scales the value.
  const auto counts = [](const Value& value) { return !value.bare; };
  const auto measured = std::count_if(arguments.begin(), arguments.end(), counts);
  if (measured < 2 && op.rule() != UnitRule::power && op.rule() != UnitRule::quotient) return;
  if (op.rule() == UnitRule::quotient && arguments[1].bare) return;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Value& value = arguments[i];
    if (value.bare || !has_known_units(value) || !units::unit_system().has_origin(*value.units)) continue;
    throw CallProblem(static_cast<int>(i), "",
                      fmt::format("\"{}\" has an origin of its own and cannot be {}; convert it first, with "
                                  "to_units(..., units=\"{}\")",
                                  *value.units, adds ? op.verb() : "multiplied, divided or raised to a power",
                                  units::unit_system().difference(*value.units)));
  }
}

// Converts the arguments that must have the same units to those of the first with known units.
void Builder::bring_together(const ElementwiseOperator& op, std::vector<Value>& arguments) {
  const auto alike = op.alike();
  const auto leader = std::find_if(alike.begin(), alike.end(), [&](std::size_t i) {
    return !arguments[i].bare && has_known_units(arguments[i]);
  });
  if (leader == alike.end()) {
    // All units are unknown, perhaps with bare numbers, which take them.
    const auto unknown =
        std::find_if(alike.begin(), alike.end(), [&](std::size_t i) { return !arguments[i].bare; });
    if (unknown == alike.end()) return;
    for (const std::size_t i : alike)
      if (arguments[i].bare) arguments[i].units = arguments[*unknown].units;
    return;
  }
  const Value lead = arguments[*leader];
  const bool sums =
      op.opcode() == static_cast<int>(Opcode::add) || op.opcode() == static_cast<int>(Opcode::sub);
  for (const std::size_t i : alike) {
    Value& value = arguments[i];
    if (value.bare) {
      const bool is_zero = constant(value) == 0.0;
      if (sums && !is_zero && units::unit_system().is_dimensionless(*lead.units) &&
          !units::unit_system().same(*lead.units, "1"))
        throw CallProblem(
            static_cast<int>(i), "",
            fmt::format(
                "it is not clear whether this number is in \"{0}\" or in \"1\"; write with_units(..., "
                "units=\"{0}\") around it, or to_units(..., units=\"1\") around the value in \"{0}\"",
                *lead.units));
      value.units = lead.units;
    } else if (has_known_units(value)) {
      const std::string what = fmt::format("these cannot be {}", op.verb());
      if (lead.scaled && !units::unit_system().same(*lead.units, *value.units)) value.scaled = true;
      value = converted(value, *lead.units, -1, what);
    }
  }
}

void Builder::drop_units(const ElementwiseOperator& op, std::vector<Value>& arguments) {
  const auto drop = [&](std::size_t i) {
    Value& value = arguments[i];
    if (value.bare || !has_known_units(value)) return;
    const int argument = static_cast<int>(i);
    const std::string signature = op.doc().signature;
    if (!units::unit_system().is_dimensionless(*value.units))
      throw CallProblem(
          argument, "",
          fmt::format("{} takes numbers without units here, but this is in \"{}\"; divide it by a "
                      "reference, such as with_units(1, units=\"{}\")",
                      signature, *value.units, *value.units));
    value = converted(value, "1", argument, fmt::format("{} takes numbers without units", signature));
  };
  if (op.rule() == UnitRule::dimensionless)
    for (std::size_t i = 0; i < arguments.size(); ++i) drop(i);
  if (op.rule() != UnitRule::power) return;
  if (op.code() == Opcode::pow) drop(1);
  const auto exponent = op.code() == Opcode::pow ? constant(arguments[1]) : op.exponent();
  const Value& base = arguments[0];
  // The root of a percentage is the root of the ratio.
  const bool is_ratio = has_known_units(base) && units::unit_system().is_dimensionless(*base.units);
  if (!exponent || (is_ratio && *exponent != std::round(*exponent))) drop(0);
}

// Small integer powers as products, as in NumPy: exact, and much faster than a power.
std::optional<Value> Builder::simpler_power(const std::vector<Value>& arguments) {
  const auto exponent = constant(arguments[1]);
  if (!exponent || arguments[1].open || constant(arguments[0])) return std::nullopt;
  if (*exponent == 1.0) return arguments[0];
  if (*exponent == 2.0) return elementwise(Opcode::square, {arguments[0]});
  if (*exponent == 0.5) return elementwise(Opcode::sqrt, {arguments[0]});
  if (*exponent == -1.0) return elementwise(Opcode::div, {number(1.0), arguments[0]});
  return std::nullopt;
}

Value Builder::elementwise(Opcode opcode, std::vector<Value> arguments) {
  return MissingValues(*this).elementwise(opcode, std::move(arguments));
}

Value Builder::apply(const std::string& name, const Operator& op, Call call,
                     const std::vector<Value>& given) {
  return MissingValues(*this).apply(name, op, std::move(call), given);
}

Value Builder::computed(Opcode opcode, std::vector<Value> arguments) {
  const ElementwiseOperator& op = analytics::elementwise(opcode);
  Call call;
  if (arguments.size() == op.arity()) {
    if (opcode == Opcode::pow)
      if (const auto simpler = simpler_power(arguments)) return *simpler;
    forbid_origins(op, arguments);
    bring_together(op, arguments);
    drop_units(op, arguments);
    if (opcode == Opcode::pow)
      if (const auto exponent = constant(arguments[1])) call.parameters["exponent"] = *exponent;
  }
  for (const Value& value : arguments) call.arguments.push_back(shape(value));
  const bool open_power = opcode == Opcode::pow && arguments.size() == 2 && arguments[1].open;
  if (open_power) call.parameters["exponent"] = 1.0;
  const Shape made = op.infer(call);

  Value result;
  result.units = open_power ? std::nullopt : made.units;
  // Adding or subtracting a bare number shifts a value on its scale; it is not a difference of two values.
  const auto with_number =
      std::find_if(arguments.begin(), arguments.end(), [](const Value& value) { return value.bare; });
  if (op.rule() == UnitRule::difference && with_number != arguments.end()) result.units = with_number->units;
  result.bare =
      std::all_of(arguments.begin(), arguments.end(), [](const Value& value) { return value.bare; });
  result.open = any(arguments, &Value::open);
  result.may_miss = opcode != Opcode::isnan && opcode != Opcode::isfinite && any(arguments, &Value::may_miss);
  const bool stretches = op.rule() == UnitRule::product || op.rule() == UnitRule::quotient;
  const bool by_number =
      stretches && std::any_of(arguments.begin(), arguments.end(), [&](const Value& value) {
        return value.bare && std::fabs(constant(value).value_or(1.0)) != 1.0;
      });
  const bool has_units = op.rule() != UnitRule::comparison && op.rule() != UnitRule::truth &&
                         op.rule() != UnitRule::dimensionless;
  result.scaled = has_units && (by_number || any(arguments, &Value::scaled));

  const bool all_constant = std::all_of(arguments.begin(), arguments.end(),
                                        [&](const Value& value) { return constant(value).has_value(); });
  if (all_constant) {
    std::array<double, 3> numbers{};
    for (std::size_t i = 0; i < arguments.size(); ++i) numbers[i] = *constant(arguments[i]);
    result.node = number(evaluate(opcode, numbers[0], numbers[1], numbers[2])).node;
    if (result.bare) result.units = std::string("1"), result.scaled = false;
    return result;
  }
  result.node = elementwise_node(op, std::move(call), made, arguments);
  return result;
}

int Builder::elementwise_node(const ElementwiseOperator& op, Call call, Shape shape,
                              const std::vector<Value>& arguments) {
  std::vector<int> args = nodes_of(arguments);
  const OpcodeTraits& traits = traits_of(op.code());
  if (traits.commutes && args[0] > args[1]) {
    std::swap(args[0], args[1]);
    std::swap(call.arguments[0], call.arguments[1]);
  }
  return add(operator_node(op, std::string(traits.name), std::move(call), std::move(args), std::move(shape)));
}

// Broadcasts the arguments of a reduction with several arguments to the same dims.
std::vector<Value> Builder::spread(const std::vector<Value>& arguments) {
  std::vector<Shape> shapes;
  for (const Value& value : arguments) shapes.push_back(shape(value));
  const Dims all = broadcast(shapes);
  std::vector<Value> result = arguments;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (dims(result[i]) == all) continue;
    // where(1, value, other) has the dims of `other` and the cells of `value`.
    std::vector<Value> where{number(1.0), result[i]};
    for (const Value& other : arguments) {
      where.resize(2);
      where.push_back(other);
      if (broadcast({shape(result[i]), shape(other)}).size() < all.size()) continue;
      Call call;
      for (const Value& value : where) call.arguments.push_back(shape(value));
      result[i].node =
          elementwise_node(analytics::elementwise(Opcode::where), call, {all, result[i].units}, where);
      break;
    }
    if (dims(result[i]) != all)
      throw CallProblem(-1, "",
                        "no argument has all dimensions of the others; broadcast them first, such as with +");
  }
  return result;
}

// The argument of a square root, if max(sqrt(a)) equals sqrt(max(a)). This does not hold for negative
// numbers, whose root is NaN.
std::optional<Value> Builder::under_root(const Value& value) const {
  const Node& root = node(value);
  const bool is_root = root.kind == NodeKind::elementwise &&
                       static_cast<const ElementwiseOperator*>(root.op)->code() == Opcode::sqrt;
  if (!is_root || !never_negative_[base::index(root.args[0])]) return std::nullopt;
  Value inside = value;
  inside.node = root.args[0];
  inside.units = root.call.arguments[0].units;
  return inside;
}

Value Builder::applied(const std::string& name, const Operator& op, Call call,
                       const std::vector<Value>& given) {
  if ((name == "max" || name == "min") && given.size() == 1) {
    // One root for each result instead of one for each cell, with the same bits.
    if (const auto inside = under_root(given[0])) {
      const Value extreme = applied(name, op, std::move(call), {*inside});
      Value result = extreme;
      result.units = given[0].units;
      result.node = elementwise_node(analytics::elementwise(Opcode::sqrt), Call{{shape(extreme)}, {}, {}},
                                     {dims(extreme), result.units}, {extreme});
      return result;
    }
  }
  if (!given.empty() && std::all_of(given.begin(), given.end(),
                                    [&](const Value& value) { return constant(value).has_value(); }))
    throw CallProblem(0, "", fmt::format("{} needs an array, but this is a number", name));
  const bool reduces = dynamic_cast<const Reduction*>(&op) != nullptr;
  const std::vector<Value> arguments = reduces && given.size() > 1 ? spread(given) : given;
  for (const Value& value : arguments) call.arguments.push_back(shape(value));
  if (reduces && !arguments.empty()) {
    std::vector<std::string> ordered;
    for (const Dim& dim : dims(arguments[0]))
      if (call.dims.empty() || std::find(call.dims.begin(), call.dims.end(), dim.name) != call.dims.end())
        ordered.push_back(dim.name);
    call.dims = std::move(ordered);
  }
  Shape made = op.infer(call);
  Value result;
  result.units = made.units;
  result.scaled = any(arguments, &Value::scaled) && result.units != "1";
  result.open = any(arguments, &Value::open);
  result.may_miss = any(arguments, &Value::may_miss) && !op.counts();
  result.node = add(operator_node(op, name, std::move(call), nodes_of(arguments), std::move(made)));
  return result;
}

}  // namespace tailrace::analytics::expression::nodes
