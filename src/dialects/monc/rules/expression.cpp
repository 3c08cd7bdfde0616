#include "dialects/monc/rules/expression.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tailrace::dialects::monc {
namespace {

using Kind = Expression::Kind;

// Adds what is known of the arguments.
ExpressionRef finished(Expression made, bool global = false) {
  made.length = made.text.size() + made.tail.size() + 4;
  for (const ExpressionRef& arg : made.args) {
    made.length += arg->length + 2;
    made.depth = std::max(made.depth, arg->depth + 1);
    if (global) continue;
    made.per_process |= arg->per_process;
    made.distributed |= arg->distributed;
    made.local_scalar |= arg->local_scalar;
    made.only_scalars &= arg->only_scalars;
    made.sizes_known &= arg->sizes_known;
    made.dims.insert(arg->dims.begin(), arg->dims.end());
  }
  return std::make_shared<const Expression>(std::move(made));
}

int strength(const Expression& expression) {
  if (expression.kind == Kind::negative) return 3;
  if (expression.kind != Kind::binary) return 4;
  return expression.text == "+" || expression.text == "-" ? 1 : 2;
}

std::string side(const Expression& part, int least) {
  return strength(part) < least ? fmt::format("({})", text_of(part)) : text_of(part);
}

}  // namespace

ExpressionRef make_number(const std::string& text) {
  Expression made;
  made.text = text;
  return finished(std::move(made));
}

ExpressionRef make_field(const Field& field) {
  Expression made;
  made.kind = Kind::field;
  made.text = qualified(field.space, field.name.text);
  const auto is_split = [](const std::string& dim) { return dim == "x" || dim == "y"; };
  made.distributed = field.collective || std::any_of(field.dims.begin(), field.dims.end(), is_split);
  made.per_process = !made.distributed;
  made.only_scalars = field.type == "scalar";
  made.sizes_known = made.only_scalars || !field.dims.empty();
  made.dims.insert(field.dims.begin(), field.dims.end());
  return finished(std::move(made));
}

ExpressionRef make_binary(const std::string& mark, ExpressionRef left, ExpressionRef right) {
  Expression made;
  made.kind = Kind::binary;
  made.text = mark;
  made.args = {std::move(left), std::move(right)};
  return finished(std::move(made));
}

ExpressionRef make_negative(ExpressionRef inner) {
  Expression made;
  made.kind = Kind::negative;
  made.text = "-";
  made.args = {std::move(inner)};
  return finished(std::move(made));
}

ExpressionRef make_call(const std::string& function, std::vector<ExpressionRef> args, const std::string& tail,
                        bool global) {
  Expression made;
  made.kind = Kind::call;
  made.text = function;
  made.tail = tail;
  made.args = std::move(args);
  return finished(std::move(made), global);
}

ExpressionRef make_local_reduction(const std::string& function, ExpressionRef inner) {
  Expression made;
  made.kind = Kind::local_reduction;
  made.text = function;
  made.args = {std::move(inner)};
  made.local_scalar = true;
  return finished(std::move(made));
}

std::string text_of(const Expression& expression) {
  switch (expression.kind) {
    case Kind::number:
    case Kind::field: return expression.text;
    case Kind::negative: return fmt::format("-{}", side(*expression.args[0], 3));
    case Kind::binary: {
      const int own = strength(expression);
      return side(*expression.args[0], own) + expression.text + side(*expression.args[1], own + 1);
    }
    case Kind::call:
    case Kind::local_reduction: break;
  }
  std::string text = expression.text + "(";
  for (const ExpressionRef& arg : expression.args) text += (text.ends_with('(') ? "" : ", ") + text_of(*arg);
  return text + expression.tail + ")";
}

}  // namespace tailrace::dialects::monc
