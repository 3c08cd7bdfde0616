// The arguments of a call: arrays, then dimensions, then name=value.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analytics/expression/resolver.hpp"

namespace tailrace::analytics::expression {

struct Arguments {
  std::vector<nodes::Value> arrays;
  std::vector<std::string> dims;
  bool failed = false;  // there was an error, which has been reported
};

inline constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

// Reads the arguments of one call. A dimension and a field may have the same name (z is both), which the
// grammar cannot distinguish. The position of the name and the dimensions of the arrays before it decide, so
// arguments are resolved one by one from the left.
class ArgumentReader {
 public:
  ArgumentReader(Resolver& resolver, const syntax::Phrase& call) : resolver_(resolver), call_(call) {}

  Arguments positional(std::size_t most);  // at most `most` arrays; the rest are dims
  std::optional<ParameterValue> parameter(const syntax::Keyword& keyword);

 private:
  bool is_array(std::size_t child, std::size_t arrays, std::size_t most) const;
  void read_dim(const syntax::Phrase& word);
  bool names_coordinate(std::size_t child) const;
  bool has_dim(const std::string& name) const { return known_dims_.contains(name); }
  std::string dims_text() const;
  std::optional<double> constant(int number);

  Resolver& resolver_;
  const syntax::Phrase& call_;
  Arguments read_;
  std::set<std::string> known_dims_;  // of the arrays so far
};

}  // namespace tailrace::analytics::expression
