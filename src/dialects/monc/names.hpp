// Resolves names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dialects/monc/xml/model.hpp"

namespace tailrace::dialects::monc {

class Names {
 public:
  // Names given twice become problems. The model must live longer.
  Names(const Model& model, Problems& problems);

  const Field* field(const std::string& space, const std::string& name) const;
  const Diagnostic* diagnostic(const std::string& space, const std::string& name) const;
  const Definition& definition(const Field& field) const;

  // The field that a rule means. Rules have no namespaces, so it is that of the diagnostic's own namespace,
  // or else the first one of that name in the file. `others` is set if there is one more.
  const Field* for_rule(const std::string& space, const std::string& name, bool& others) const;

  std::vector<std::string> field_names() const;                         // without namespaces
  std::vector<std::string> members_of(const std::string& space) const;  // fields and diagnostics

 private:
  std::map<std::string, const Field*> fields_;
  std::map<std::string, const Diagnostic*> diagnostics_;
  std::map<std::string, std::vector<const Field*>> by_bare_name_;
  std::map<const Field*, const Definition*> definitions_;
};

}  // namespace tailrace::dialects::monc
