#include "analytics/user/declaration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "analytics/expression/resolver.hpp"
#include "analytics/units.hpp"

namespace tailrace::analytics::user {
namespace {

bool is_word(const std::string& name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

bool is_taken(const std::string& name) {
  const std::vector<std::string> names = expression::function_names();
  return std::find(names.begin(), names.end(), name) != names.end() || find_operator(name) != nullptr ||
         expression::constant_named(name).has_value();
}

}  // namespace

void check_declarations(const std::vector<Declaration>& declarations, config::Problems& problems) {
  for (const Declaration& declaration : declarations) {
    const auto problem = [&](const std::string& key, const std::string& what) {
      problems.add(declaration.location, "operators." + declaration.name + key, what);
    };
    if (!is_word(declaration.name))
      problem("", "the name of an operator consists of letters, digits and _, and begins with no digit");
    else if (is_taken(declaration.name))
      problem("", fmt::format("\"{}\" is built in; give the operator another name", declaration.name));
    if (declaration.arguments.empty()) problem(".arguments", "an operator takes one argument or more");
    if (!declaration.units.empty() && declaration.units != "same" && !unit_system().knows(declaration.units))
      problem(".result.units", fmt::format("UDUNITS knows no units \"{}\"", declaration.units));
    if (!declaration.result) continue;
    std::set<std::string> seen;
    for (const ResultDim& dim : *declaration.result)
      if (!seen.insert(dim.name).second)
        problem(".result.dims", fmt::format("the dimension \"{}\" is named twice", dim.name));
  }
}

}  // namespace tailrace::analytics::user
