#include "dialects/monc/rules/processes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tailrace::dialects::monc {
namespace {

using Kind = Expression::Kind;

ExpressionRef constant(const ExpressionRef& value) {
  return value->per_process || value->distributed ? nullptr : value;
}

ExpressionRef of_reduction(const std::string& function, const Expression& local) {
  const ExpressionRef& inner = local.args[0];
  if (local.text == function) return make_call(function, {inner}, "", true);
  if (inner->distributed || !inner->sizes_known) return nullptr;
  // Each process has complete dims of its own, so both steps can be expressed.
  ExpressionRef own = inner;
  if (!inner->dims.empty())
    own = make_call(local.text, {inner}, fmt::format(", {}", fmt::join(inner->dims, ", ")));
  return make_call(function, {std::move(own)}, inner->dims.empty() ? "" : ", rank", true);
}

// A reduction over processes of what a localreduce gave: linear in sums and means, and equal ones of
// extremes. Null where the whole domain does not tell it.
ExpressionRef over_all(const std::string& function, const ExpressionRef& local) {
  if (local->kind == Kind::local_reduction) return of_reduction(function, *local);
  if (function == "min" || function == "max") return nullptr;
  if (local->kind == Kind::negative) {
    ExpressionRef inner = over_all(function, local->args[0]);
    return inner == nullptr ? nullptr : make_negative(std::move(inner));
  }
  if (local->kind != Kind::binary) return nullptr;
  const auto& left = local->args[0];
  const auto& right = local->args[1];
  if (local->text == "+" || local->text == "-") {
    if (!left->local_scalar || !right->local_scalar) return nullptr;
  } else if (left->local_scalar && right->local_scalar) {
    return nullptr;
  } else if (local->text == "/" && right->local_scalar) {
    return nullptr;
  }
  ExpressionRef new_left = left->local_scalar ? over_all(function, left) : constant(left);
  ExpressionRef new_right = right->local_scalar ? over_all(function, right) : constant(right);
  if (new_left == nullptr || new_right == nullptr) return nullptr;
  return make_binary(local->text, std::move(new_left), std::move(new_right));
}

ExpressionRef without_local(const ExpressionRef& value) {
  if (!value->local_scalar) return value;
  if (value->kind == Kind::local_reduction) return make_call(value->text, {value->args[0]}, "", true);
  std::vector<ExpressionRef> args;
  for (const ExpressionRef& arg : value->args) args.push_back(without_local(arg));
  if (value->kind == Kind::binary) return make_binary(value->text, args[0], args[1]);
  if (value->kind == Kind::negative) return make_negative(args[0]);
  return make_call(value->text, std::move(args), value->tail);
}

}  // namespace

ExpressionRef Processes::broadcast(ExpressionRef value, const Word& place) {
  if (!value->per_process && !value->distributed) return value;  // all have it already
  if (value->local_scalar || value->distributed) {
    problems_.add(place.location, "",
                  "a broadcast of values of which each process holds a part is not defined");
    return nullptr;
  }
  return make_call("slice", {std::move(value)}, ", rank=0", true);
}

ExpressionRef Processes::reduce(const std::string& function, const ExpressionRef& local, const Word& place) {
  const auto problem = [&](const std::string& what) {
    problems_.add(place.location, "", what);
    return nullptr;
  };
  if (local->local_scalar) {
    if (function == "mean") warn_of_mean(place.location);
    if (ExpressionRef value = over_all(function, local)) return value;
    return problem(
        fmt::format("the {} over processes of {} depends on the decomposition of the domain; expected the "
                    "same reduction within a process and over all processes",
                    function, text_of(*local)));
  }
  if (local->distributed)
    return problem(fmt::format("each process holds a different part of {}: a localreduce must come first",
                               text_of(*local)));
  if (local->per_process) return make_call(function, {local}, local->only_scalars ? "" : ", rank", true);
  if (function != "sum") return local;
  return problem(fmt::format(
      "{} is the same on all processes; a sum over processes would count it several times", text_of(*local)));
}

void Processes::warn_of_mean(const Location& where) {
  warnings_.add(
      where,
      options_.legacy
          ? "MONC computes the mean over processes; this is the mean over all cells, which is the same if "
            "all processes hold parts of equal size"
          : "MONC computes the mean over processes, whatever their sizes; this is the mean over all cells");
}

ExpressionRef Processes::whole(const ExpressionRef& value, const Location& where) {
  if (!value->local_scalar) return value;
  warnings_.add(where,
                "without a communication MONC writes the value of one process; this is the value of the "
                "whole domain");
  return without_local(value);
}

}  // namespace tailrace::dialects::monc
