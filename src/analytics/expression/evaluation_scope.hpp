// What the resolver of one expression asks of everything around that expression.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analytics/expression/nodes/builder.hpp"
#include "analytics/operator.hpp"

namespace tailrace::analytics::expression {

// Places are bytes of the expression's text. An interface, and not the compiler itself, because resolving one
// expression may set off resolving another one (named() of a diagnostic that was not resolved yet): whoever
// resolves knows nothing of that.
class EvaluationScope {
 public:
  virtual ~EvaluationScope() = default;
  virtual bool is_name(const std::string& name) const = 0;  // of a field or diagnostic
  virtual bool may_lack_names() const = 0;                  // an unknown name leaves the diagnostic out
  // The value behind a name, or of {name}. None where there is none; it has then been told.
  virtual std::optional<nodes::Value> named(const std::string& name, std::size_t at) = 0;
  virtual std::optional<nodes::Value> option(const std::string& name, std::size_t at) = 0;
  virtual bool is_dim(const std::string& name) const = 0;                            // of any field
  virtual const std::vector<double>* coordinates(const std::string& dim) const = 0;  // null: none
  virtual const std::string* latitude(const std::string& dim) const = 0;  // that varies along it; null: none
  // Of such a dimension: what tells how large the cells are; null: nothing.
  virtual const std::string* area(const std::string& dim) const = 0;
  virtual const Operators& operators() const = 0;  // besides the built-in ones
  virtual void problem(std::size_t at, const std::string& what) = 0;
  virtual void plain_mean(std::size_t at, const std::string& what) = 0;  // a warning
  virtual bool
  deeper() = 0;  // one level down, over all expressions that wait for each other; false: too deep
  virtual void higher() = 0;
};

}  // namespace tailrace::analytics::expression
