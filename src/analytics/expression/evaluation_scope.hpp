// The names that the resolver of one expression can look up, and its way to report problems.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analytics/expression/nodes/builder.hpp"
#include "analytics/operator.hpp"

namespace tailrace::analytics::expression {

// Places (`at`) are byte offsets in the expression's text. This is an interface and not the compiler, because
// resolving one expression may start the resolution of another (named() of an unresolved diagnostic), of
// which the resolver does not know.
class EvaluationScope {
 public:
  virtual ~EvaluationScope() = default;
  virtual bool is_name(const std::string& name) const = 0;  // of a field or diagnostic
  virtual bool may_lack_names() const = 0;                  // an unknown name excludes the diagnostic
  // The value of a name, or of {name}. None if there is none, which has then been reported.
  virtual std::optional<nodes::Value> named(const std::string& name, std::size_t at) = 0;
  virtual std::optional<nodes::Value> option(const std::string& name, std::size_t at) = 0;
  virtual bool is_dim(const std::string& name) const = 0;                            // of any field
  virtual const std::vector<double>* coordinates(const std::string& dim) const = 0;  // null: none
  virtual const std::string* latitude(
      const std::string& dim) const = 0;  // the latitude that varies along it; null: none
  // The input with the cell areas along such a dimension; null: none.
  virtual const std::string* area(const std::string& dim) const = 0;
  virtual const Operators& operators() const = 0;  // in addition to the built-in ones
  virtual void problem(std::size_t at, const std::string& what) = 0;
  virtual void plain_mean(std::size_t at, const std::string& what) = 0;  // a warning
  virtual bool deeper() = 0;  // one level down, counted over all nested expressions; false: too deep
  virtual void higher() = 0;
};

}  // namespace tailrace::analytics::expression
