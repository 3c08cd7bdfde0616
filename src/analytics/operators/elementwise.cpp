#include "analytics/operators/elementwise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/index.hpp"
#include "units/unit_system.hpp"

namespace tailrace::analytics {

namespace {

Dims::iterator find_dim(Dims& dims, const std::string& name) {
  return std::find_if(dims.begin(), dims.end(), [&](const Dim& dim) { return dim.name == name; });
}

void join(Dims& all, const Dims& further) {
  auto place = all.begin();
  for (const Dim& dim : further) {
    auto known = find_dim(all, dim.name);
    if (known == all.end()) {
      place = all.insert(place, dim);
    } else {
      if (known->extent != dim.extent)
        throw CallProblem(-1, "",
                          fmt::format("the dimension \"{}\" has {} cells in one argument and {} in another",
                                      dim.name, known->extent, dim.extent));
      known->split = known->split || dim.split;
      place = known;
    }
    ++place;
  }
}

}  // namespace

Dims broadcast(const std::vector<Shape>& arguments) {
  if (arguments.empty()) return {};
  const auto most = std::max_element(arguments.begin(), arguments.end(), [](const Shape& a, const Shape& b) {
    return a.dims.size() < b.dims.size();
  });
  Dims all = most->dims;
  for (const Shape& argument : arguments) join(all, argument.dims);
  return all;
}

ElementwiseOperator::ElementwiseOperator(Opcode opcode, UnitRule rule, OperatorDoc doc, double exponent)
    : opcode_(opcode), rule_(rule), doc_(std::move(doc)), exponent_(exponent) {}

std::vector<std::size_t> ElementwiseOperator::alike() const {
  switch (rule_) {
    case UnitRule::sum:
    case UnitRule::difference:
    case UnitRule::comparison:
      return arity() == 3 ? std::vector<std::size_t>{0, 1, 2} : std::vector<std::size_t>{0, 1};
    case UnitRule::choice: return {1, 2};
    default: return {};
  }
}

std::string_view ElementwiseOperator::verb() const {
  switch (opcode_) {
    case Opcode::add: return "added";
    case Opcode::sub: return "subtracted";
    case Opcode::mod: return "divided with a remainder";
    case Opcode::where: return "chosen between";
    case Opcode::hypot:
    case Opcode::atan2: return "taken together";
    default: return "compared";
  }
}

Shape ElementwiseOperator::infer(const Call& call) const {
  if (call.arguments.size() != arity())
    throw CallProblem(-1, "",
                      fmt::format("{} takes {} argument{}, not {}", doc_.signature, arity(),
                                  arity() == 1 ? "" : "s", call.arguments.size()));
  if (!call.dims.empty())
    throw CallProblem(-1, "", fmt::format("{} is elementwise and takes no dimensions", doc_.signature));
  return {broadcast(call.arguments), units(call)};
}

std::optional<std::string> ElementwiseOperator::units(const Call& call) const {
  const units::UnitSystem& system = units::unit_system();
  const auto of = [&](std::size_t i) { return call.arguments[i].units; };
  const auto known = [&](std::size_t i) { return of(i) && system.knows(*of(i)); };
  const auto same = alike();
  for (const std::size_t i : same) {
    const bool both = known(same.front()) && known(i);
    if (both && !system.same(*of(same.front()), *of(i)))
      throw CallProblem(-1, "",
                        fmt::format("\"{}\" and \"{}\" cannot be {}: their units differ", *of(same.front()),
                                    *of(i), verb()));
  }
  const auto power = [&](double exponent) -> std::optional<std::string> {
    if (!known(0)) return std::nullopt;
    if (system.same(*of(0), "1")) return "1";
    auto raised = system.power(*of(0), exponent);
    if (!raised)
      throw CallProblem(
          0, "",
          fmt::format(
              "\"{0}\" to the power {1:.6g} is not a unit; divide by a value with these units first, such as "
              "with_units(1, units=\"{0}\")",
              *of(0), exponent));
    return raised;
  };
  const auto need_none = [&](std::size_t i) {
    if (known(i) && !system.same(*of(i), "1"))
      throw CallProblem(
          static_cast<int>(i), "",
          fmt::format(
              "{0} needs a number without units here, but this is in \"{1}\"; divide it by a value with "
              "these units, such as with_units(1, units=\"{1}\")",
              doc_.signature, *of(i)));
  };
  switch (rule_) {
    case UnitRule::keep: return of(0);
    case UnitRule::comparison:
    case UnitRule::truth: return "1";
    case UnitRule::sum:
    case UnitRule::choice:
    case UnitRule::difference: {
      const auto first = of(same.front());
      for (const std::size_t i : same)
        if (of(i) != first && !(known(same.front()) && known(i))) return std::nullopt;
      if (rule_ == UnitRule::difference && first) return system.difference(*first);
      return first;
    }
    case UnitRule::product:
      if (of(0) == "1") return of(1);
      if (of(1) == "1") return of(0);
      return known(0) && known(1) ? system.product(*of(0), *of(1)) : std::nullopt;
    case UnitRule::quotient:
      if (of(1) == "1") return of(0);
      return known(0) && known(1) ? system.quotient(*of(0), *of(1)) : std::nullopt;
    case UnitRule::dimensionless:
      for (std::size_t i = 0; i < arity(); ++i) need_none(i);
      return "1";
    case UnitRule::power: break;
  }
  if (opcode_ != Opcode::pow) return power(exponent_);
  need_none(1);
  const auto constant = call.parameters.find("exponent");
  if (constant != call.parameters.end()) return power(std::get<double>(constant->second));
  need_none(0);
  return known(0) ? std::optional<std::string>("1") : std::nullopt;
}

namespace {

struct Listed {
  Opcode opcode;
  UnitRule rule;
  const char* signature;
  const char* description;
  const char* cost;
  double exponent = 1.0;
  const char* alias = "";
};

constexpr const char* cheap = "1 flop per cell";
constexpr const char* slow = "about 4 flops per cell";
constexpr const char* dear = "about 20 flops per cell";
constexpr const char* truth_says = "1 where true, 0 where false; NaN compares as unequal to everything.";

constexpr std::array<Listed, opcode_count> listed{{
    {Opcode::neg, UnitRule::keep, "-a", "The negative.", cheap},
    {Opcode::abs, UnitRule::keep, "abs(a)", "The absolute value.", cheap},
    {Opcode::sign, UnitRule::truth, "sign(a)", "-1, 0 or 1 for negative, zero or positive a; NaN for NaN.",
     cheap},
    {Opcode::sqrt, UnitRule::power, "sqrt(a)", "The square root; NaN for negative a.", slow, 0.5},
    {Opcode::cbrt, UnitRule::power, "cbrt(a)", "The cube root, also of negative numbers.", dear, 1.0 / 3},
    {Opcode::square, UnitRule::power, "square(a)", "a * a; a ** 2 is the same.", cheap, 2.0},
    {Opcode::exp, UnitRule::dimensionless, "exp(a)", "e to the power a.", dear},
    {Opcode::expm1, UnitRule::dimensionless, "expm1(a)", "exp(a) - 1, accurate also for small a.", dear},
    {Opcode::log, UnitRule::dimensionless, "log(a)", "The natural logarithm; -inf for 0, NaN for negative a.",
     dear},
    {Opcode::log10, UnitRule::dimensionless, "log10(a)", "The logarithm to base 10.", dear},
    {Opcode::log2, UnitRule::dimensionless, "log2(a)", "The logarithm to base 2.", dear},
    {Opcode::log1p, UnitRule::dimensionless, "log1p(a)", "log(1 + a), accurate also for small a.", dear},
    {Opcode::sin, UnitRule::dimensionless, "sin(a)",
     "The sine of an angle in radians, or in the angle's units.", dear},
    {Opcode::cos, UnitRule::dimensionless, "cos(a)", "The cosine; angles as for sin.", dear},
    {Opcode::tan, UnitRule::dimensionless, "tan(a)", "The tangent; angles as for sin.", dear},
    {Opcode::asin, UnitRule::dimensionless, "asin(a)",
     "The angle whose sine is a, in radians; NaN outside -1 to 1.", dear, 1.0, "arcsin"},
    {Opcode::acos, UnitRule::dimensionless, "acos(a)",
     "The angle whose cosine is a, in radians; NaN outside -1 to 1.", dear, 1.0, "arccos"},
    {Opcode::atan, UnitRule::dimensionless, "atan(a)", "The angle whose tangent is a, in radians.", dear, 1.0,
     "arctan"},
    {Opcode::sinh, UnitRule::dimensionless, "sinh(a)", "The hyperbolic sine.", dear},
    {Opcode::cosh, UnitRule::dimensionless, "cosh(a)", "The hyperbolic cosine.", dear},
    {Opcode::tanh, UnitRule::dimensionless, "tanh(a)", "The hyperbolic tangent.", dear},
    {Opcode::floor, UnitRule::keep, "floor(a)", "The largest integer not above a.", cheap},
    {Opcode::ceil, UnitRule::keep, "ceil(a)", "The smallest integer not below a.", cheap},
    {Opcode::round, UnitRule::keep, "round(a)", "The nearest integer; ties go to the even one.", cheap},
    {Opcode::trunc, UnitRule::keep, "trunc(a)", "The integer part, towards zero.", cheap},
    {Opcode::logical_not, UnitRule::truth, "not a", "1 where a is 0, else 0 (for NaN too).", cheap},
    {Opcode::isnan, UnitRule::truth, "isnan(a)", "1 where a is NaN (missing), else 0.", cheap},
    {Opcode::isfinite, UnitRule::truth, "isfinite(a)", "1 where a is neither NaN nor infinite, else 0.",
     cheap},
    {Opcode::add, UnitRule::sum, "a + b", "The sum.", cheap},
    {Opcode::sub, UnitRule::difference, "a - b", "The difference.", cheap},
    {Opcode::mul, UnitRule::product, "a * b", "The product.", cheap},
    {Opcode::div, UnitRule::quotient, "a / b", "The quotient; infinite or NaN where b is 0.", slow},
    {Opcode::mod, UnitRule::sum, "a % b",
     "The remainder of a / b, with the quotient rounded towards zero; it has the sign of a.", dear},
    {Opcode::pow, UnitRule::power, "a ** b", "a to the power b; a ^ b is the same.", dear},
    {Opcode::atan2, UnitRule::comparison, "atan2(y, x)",
     "The angle of the point (x, y), in radians from -pi to pi.", dear, 1.0, "arctan2"},
    {Opcode::hypot, UnitRule::sum, "hypot(a, b)", "sqrt(a**2 + b**2) without overflow.", dear},
    {Opcode::minimum, UnitRule::sum, "minimum(a, b)",
     "The smaller of both in each cell; NaN where either is NaN.", cheap},
    {Opcode::maximum, UnitRule::sum, "maximum(a, b)",
     "The larger of both in each cell; NaN where either is NaN.", cheap},
    {Opcode::lt, UnitRule::comparison, "a < b", truth_says, cheap},
    {Opcode::le, UnitRule::comparison, "a <= b", truth_says, cheap},
    {Opcode::gt, UnitRule::comparison, "a > b", truth_says, cheap},
    {Opcode::ge, UnitRule::comparison, "a >= b", truth_says, cheap},
    {Opcode::eq, UnitRule::comparison, "a == b", truth_says, cheap},
    {Opcode::ne, UnitRule::comparison, "a != b", truth_says, cheap},
    {Opcode::logical_and, UnitRule::truth, "a and b", "1 where neither is 0, else 0; NaN counts as true.",
     cheap},
    {Opcode::logical_or, UnitRule::truth, "a or b", "1 where either is not 0, else 0; NaN counts as true.",
     cheap},
    {Opcode::where, UnitRule::choice, "where(cond, a, b)",
     "a where cond is not 0, b where it is; NaN as condition counts as true.", cheap},
    {Opcode::clip, UnitRule::sum, "clip(a, lowest, highest)", "minimum(maximum(a, lowest), highest).", cheap},
}};

std::shared_ptr<const ElementwiseOperator> make(const Listed& entry) {
  const OperatorDoc doc{entry.signature, entry.description, entry.cost, ""};
  return std::make_shared<ElementwiseOperator>(entry.opcode, entry.rule, doc, entry.exponent);
}

class All {
 public:
  All() {
    for (std::size_t i = 0; i < opcode_count; ++i) {
      made_[i] = make(listed[i]);
      entries_.emplace_back(std::string(opcode_traits[i].name), made_[i]);
      if (*listed[i].alias != '\0') entries_.emplace_back(listed[i].alias, made_[i]);
    }
  }
  const ElementwiseOperator& get(Opcode opcode) const { return *made_[base::index(opcode)]; }

 private:
  std::array<std::shared_ptr<const ElementwiseOperator>, opcode_count> made_;
  std::vector<OperatorEntry> entries_;
};

const All all;

constexpr bool listed_in_order() {
  for (std::size_t i = 0; i < opcode_count; ++i)
    if (listed[i].opcode != opcode_traits[i].opcode) return false;
  return true;
}
static_assert(listed_in_order());

}  // namespace

const ElementwiseOperator& elementwise(Opcode opcode) { return all.get(opcode); }

}  // namespace tailrace::analytics
