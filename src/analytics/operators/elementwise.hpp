// Elementwise operators and their rules for units.
#pragma once

#include <vector>

#include "analytics/opcodes.hpp"
#include "analytics/operator.hpp"

namespace tailrace::analytics {

enum class UnitRule {
  keep,           // that of the only argument: abs
  sum,            // all the same, kept
  difference,     // as sum; K for degC
  comparison,     // all the same; the result is dimensionless
  product,        //
  quotient,       //
  power,          // by the constant "exponent"; if it varies, dimensionless
  dimensionless,  // exp, log, sin: arguments and result
  truth,          // any; the result is dimensionless
  choice,         // where: the second and third the same, kept
};

class ElementwiseOperator : public Elementwise {
 public:
  ElementwiseOperator(Opcode opcode, UnitRule rule, OperatorDoc doc, double exponent = 1.0);

  OperatorDoc doc() const override { return doc_; }
  // Expects arguments whose units need no conversion. For a power, the parameter "exponent" is the constant
  // exponent, if there is one.
  Shape infer(const Call& call) const override;
  int opcode() const override { return static_cast<int>(opcode_); }

  Opcode code() const { return opcode_; }
  UnitRule rule() const { return rule_; }
  std::optional<double> exponent() const { return exponent_; }  // for sqrt, cbrt and square
  std::size_t arity() const { return traits_of(opcode_).arity; }
  // The arguments that must have the same units (empty: none), and the verb for messages, to follow "cannot
  // be": "added".
  std::vector<std::size_t> alike() const;
  std::string_view verb() const;

 private:
  std::optional<std::string> units(const Call& call) const;

  Opcode opcode_;
  UnitRule rule_;
  OperatorDoc doc_;
  double exponent_;
};

// The dims of arguments that are broadcast by name: those of the (first) argument with the most dims. A dim
// that only another argument has is inserted after the dim that it follows there, or in front. Throws
// CallProblem if a dim has different extents.
Dims broadcast(const std::vector<Shape>& arguments);

const ElementwiseOperator& elementwise(Opcode opcode);  // the registered one

}  // namespace tailrace::analytics
