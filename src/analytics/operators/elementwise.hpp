// Operators that work cell by cell, and how they treat units.
#pragma once

#include <vector>

#include "analytics/opcodes.hpp"
#include "analytics/operator.hpp"

namespace tailrace::analytics {

enum class UnitRule {
  keep,           // of the one argument: abs
  sum,            // all the same, kept
  difference,     // as sum; of degC it is K
  comparison,     // all the same; the result has none
  product,        //
  quotient,       //
  power,          // by the constant "exponent"; where it varies, dimensionless
  dimensionless,  // exp, log, sin: arguments and result
  truth,          // any; the result has none
  choice,         // where: the second and third the same, kept
};

class ElementwiseOperator : public Elementwise {
 public:
  ElementwiseOperator(Opcode opcode, UnitRule rule, OperatorDoc doc, double exponent = 1.0);

  OperatorDoc doc() const override { return doc_; }
  // Expects arguments whose units need no conversion. Of a power the parameter "exponent" says the constant,
  // where there is one.
  Shape infer(const Call& call) const override;
  int opcode() const override { return static_cast<int>(opcode_); }

  Opcode code() const { return opcode_; }
  UnitRule rule() const { return rule_; }
  std::optional<double> exponent() const { return exponent_; }  // of sqrt, cbrt and square
  std::size_t arity() const { return traits_of(opcode_).arity; }
  // Which arguments must have the same units, in words that fit behind "cannot be": added. Empty: none.
  std::vector<std::size_t> alike() const;
  std::string_view verb() const;

 private:
  std::optional<std::string> units(const Call& call) const;

  Opcode opcode_;
  UnitRule rule_;
  OperatorDoc doc_;
  double exponent_;
};

// The dims of what is broadcast by names: those of the argument that has most (the first of them), where each
// that only others have is put right behind the one that it follows there, or in front. Throws CallProblem
// where a dim has different extents.
Dims broadcast(const std::vector<Shape>& arguments);

const ElementwiseOperator& elementwise(Opcode opcode);  // the registered one

}  // namespace tailrace::analytics
