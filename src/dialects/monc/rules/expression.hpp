// An expression of Tailrace's language while it is put together from MONC's rules, with what must be known of
// it for the next rule: where its values are.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dialects/monc/xml/model.hpp"

namespace tailrace::dialects::monc {

struct Expression;
using ExpressionRef = std::shared_ptr<const Expression>;

struct Expression {
  enum class Kind { number, field, binary, negative, call, local_reduction };
  Kind kind = Kind::number;
  std::string text;  // number or {option}, name, operator, function
  std::string tail;  // of a call: what stands behind the arguments, with its comma
  std::vector<ExpressionRef> args;

  bool per_process = false;   // each process has its own: before a communication
  bool distributed = false;   // each process holds a part of the whole
  bool local_scalar = false;  // holds a local reduction that no communication has taken up yet
  bool only_scalars = true;   // no process contributes more than a number
  bool sizes_known = true;
  std::set<std::string> dims;  // of what the processes contribute, as far as known
  std::size_t length = 0;      // of the text, about
  int depth = 0;
};

ExpressionRef make_number(const std::string& text);
ExpressionRef make_field(const Field& field);
ExpressionRef make_binary(const std::string& mark, ExpressionRef left, ExpressionRef right);  // + - * / % ==
ExpressionRef make_negative(ExpressionRef inner);
// Elementwise, or of one whole array; a communication's result is made with `global`.
ExpressionRef make_call(const std::string& function, std::vector<ExpressionRef> args,
                        const std::string& tail = "", bool global = false);
ExpressionRef make_local_reduction(const std::string& function, ExpressionRef inner);

std::string text_of(const Expression& expression);

}  // namespace tailrace::dialects::monc
