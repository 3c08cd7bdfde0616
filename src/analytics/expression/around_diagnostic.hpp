// The evaluation scope of one diagnostic: the fields, options and other diagnostics.
#pragma once

#include <functional>

#include "analytics/expression/compiler.hpp"
#include "analytics/expression/evaluation_scope.hpp"

namespace tailrace::analytics::expression {

class AroundDiagnostic : public EvaluationScope {
 public:
  AroundDiagnostic(Compiler& all, std::size_t number) : all_(all), number_(number) {}

  bool is_name(const std::string& name) const override;
  bool may_lack_names() const override;
  std::optional<nodes::Value> named(const std::string& name, std::size_t at) override;
  std::optional<nodes::Value> option(const std::string& name, std::size_t at) override;
  bool is_dim(const std::string& name) const override { return all_.dims_.contains(name); }
  const std::vector<double>* coordinates(const std::string& dim) const override;
  const Operators& operators() const override { return all_.scope_.operators; }
  void problem(std::size_t at, const std::string& what) override;
  const std::string* latitude(const std::string& dim) const override;
  const std::string* area(const std::string& dim) const override;
  void plain_mean(std::size_t at, const std::string& what) override;
  bool deeper() override;
  void higher() override { --all_.depth_; }

  bool has_problem() const { return has_problem_; }

 private:
  Entry& entry() { return all_.entries_[number_]; }
  const Entry& entry() const { return all_.entries_[number_]; }
  std::optional<nodes::Value> diagnostic(std::size_t other, std::size_t at);
  std::optional<nodes::Value> with_known_units(const std::string& name, nodes::Value value);
  void circle(std::size_t other, std::size_t at);
  void absent(const std::set<std::string>& fields, std::size_t at, const std::function<std::string()>& what);

  Compiler& all_;
  std::size_t number_;
  bool has_problem_ = false;
};

}  // namespace tailrace::analytics::expression
