#include "analytics/operator.hpp"
#include "base/error.hpp"

namespace tailrace::analytics {

namespace {

// Created at its first use, because entries are static objects of other files.
std::map<std::string, std::shared_ptr<const Operator>>& registry() {
  static std::map<std::string, std::shared_ptr<const Operator>> operators;
  return operators;
}

}  // namespace

CallProblem::CallProblem(int problem_argument, std::string problem_parameter, const std::string& what)
    : std::runtime_error(what), argument(problem_argument), parameter(std::move(problem_parameter)) {}

OperatorEntry::OperatorEntry(std::string name, std::shared_ptr<const Operator> made) {
  const bool is_new = registry().emplace(name, std::move(made)).second;
  TAILRACE_ASSERT(is_new, "two operators are registered as \"" + name + "\"");
}

const Operator* find_operator(const std::string& name) {
  const auto found = registry().find(name);
  return found == registry().end() ? nullptr : found->second.get();
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const auto& [name, made] : registry()) names.push_back(name);
  return names;
}

}  // namespace tailrace::analytics
