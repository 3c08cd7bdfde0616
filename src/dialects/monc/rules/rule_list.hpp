// The rules of a diagnostic by what they give.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dialects/monc/xml/model.hpp"

namespace tailrace::dialects::monc {

class RuleList {
 public:
  // Checks the rules one by one: their names, attributes, results and roots. Mistakes become problems. The
  // diagnostic must live longer.
  RuleList(const Diagnostic& diagnostic, Problems& problems, Warnings& warnings);

  bool fine() const { return fine_; }                 // no mistakes
  const Rule* find(const std::string& result) const;  // null: no rule gives it
  const std::map<std::string, const Rule*>& by_result() const { return by_result_; }
  std::vector<std::string> results() const;

 private:
  bool check_kind(const Rule& rule);
  void check_attributes(const Tag& tag, const std::string& kind, const std::vector<std::string>& known);
  bool check_root(const Rule& rule);

  Problems& problems_;
  Warnings& warnings_;
  std::map<std::string, const Rule*> by_result_;
  bool fine_ = true;
};

}  // namespace tailrace::dialects::monc
