#include "analytics/user/declaration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "analytics/expression/calls.hpp"
#include "base/nearest_name.hpp"
#include "units/unit_system.hpp"

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

class Check {
 public:
  Check(const Declaration& declaration, config::Problems& problems)
      : declaration_(declaration), problems_(problems) {}

  void run() {
    const std::string& name = declaration_.name;
    if (!is_word(name))
      add(declaration_.location, "",
          "the name of an operator consists of letters, digits and _, and does not begin with a digit");
    else if (is_taken(name))
      add(declaration_.location, "", fmt::format("\"{}\" is built in; give the operator another name", name));
    const std::string& units = declaration_.units;
    if (!units.empty() && units != "same" && !units::unit_system().knows(units))
      add(declaration_.units_location, ".result.units",
          fmt::format("UDUNITS does not know the units \"{}\"", units));
    for (const auto& argument : declaration_.arguments) take_argument(argument);
    for (const NamedDim& dim : declaration_.needs_whole) expect_known(dim, ".needs_whole");
    if (declaration_.result) expect_dims(*declaration_.result, ".result.dims");
    for (const KeptArray& array : declaration_.state) {
      const std::string key = ".state." + array.name;
      if (!is_word(array.name))
        add(array.location, key,
            "the name of an array consists of letters, digits and _, and does not begin with a digit");
      if (array.dims) expect_dims(*array.dims, key + ".dims");
    }
  }

 private:
  void expect_dims(const std::vector<ResultDim>& dims, const std::string& key) {
    std::set<std::string> seen;
    for (const ResultDim& dim : dims) {
      expect_new({dim.name, dim.location}, seen, key);
      if (dim.extent == 0) expect_known({dim.name, dim.location}, key);
    }
  }

  void take_argument(const std::optional<std::vector<NamedDim>>& argument) {
    any_ = any_ || !argument;
    if (!argument) return;
    std::set<std::string> seen;
    for (const NamedDim& dim : *argument) {
      expect_new(dim, seen, ".arguments");
      if (std::find(dims_.begin(), dims_.end(), dim.name) == dims_.end()) dims_.push_back(dim.name);
    }
  }

  void expect_new(const NamedDim& dim, std::set<std::string>& seen, const std::string& key) {
    if (!seen.insert(dim.name).second)
      add(dim.location, key, fmt::format("the dimension \"{}\" is named twice", dim.name));
  }

  // If some argument accepts any dimensions, this can be checked only for a call.
  void expect_known(const NamedDim& dim, const std::string& key) {
    if (any_ || std::find(dims_.begin(), dims_.end(), dim.name) != dims_.end()) return;
    const bool result = key != ".needs_whole";
    add(dim.location, key,
        fmt::format("no argument has a dimension \"{}\"{}.{}", dim.name,
                    result ? fmt::format("; a new one needs its extent: {{{}: 10}}", dim.name) : "",
                    base::name_hint(dim.name, dims_)));
  }

  void add(const config::Location& where, const std::string& key, const std::string& what) {
    problems_.add(where, "operators." + declaration_.name + key, what);
  }

  const Declaration& declaration_;
  config::Problems& problems_;
  std::vector<std::string> dims_;  // of the arguments
  bool any_ = false;               // some argument accepts any dimensions
};

}  // namespace

void check_declarations(const std::vector<Declaration>& declarations, config::Problems& problems) {
  for (const Declaration& declaration : declarations) Check(declaration, problems).run();
}

}  // namespace tailrace::analytics::user
