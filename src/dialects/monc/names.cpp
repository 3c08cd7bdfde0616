#include "dialects/monc/names.hpp"

#include <fmt/format.h>

namespace tailrace::dialects::monc {
namespace {

template <class Map>
auto look_up(const Map& map, const std::string& space, const std::string& name) {
  const auto found = map.find(qualified(space, name));
  return found == map.end() ? nullptr : found->second;
}

}  // namespace

Names::Names(const Model& model, Problems& problems) {
  const auto twice = [&](const char* what, const std::string& name, const Location& where,
                         const Location& first) {
    problems.add(where, "",
                 fmt::format("the {} \"{}\" is given twice; the first is at {}", what, name, first.text()));
  };
  for (const Definition& definition : model.definitions)
    for (const Field& field : definition.fields) {
      const std::string name = qualified(field.space, field.name.text);
      const auto [entry, is_new] = fields_.try_emplace(name, &field);
      if (!is_new) {
        twice("field", name, field.name.location, entry->second->name.location);
        continue;
      }
      by_bare_name_[field.name.text].push_back(&field);
      definitions_[&field] = &definition;
    }
  for (const Diagnostic& diagnostic : model.diagnostics) {
    if (diagnostic.name.empty()) continue;
    const std::string name = qualified(diagnostic.space, diagnostic.name.text);
    const auto [entry, is_new] = diagnostics_.try_emplace(name, &diagnostic);
    if (!is_new) twice("diagnostic", name, diagnostic.name.location, entry->second->name.location);
    if (const auto same = fields_.find(name); same != fields_.end())
      problems.add(diagnostic.name.location, "",
                   fmt::format("the diagnostic \"{}\" has the name of a field, at {}; name it differently",
                               name, same->second->name.location.text()));
  }
}

const Field* Names::field(const std::string& space, const std::string& name) const {
  return look_up(fields_, space, name);
}

const Diagnostic* Names::diagnostic(const std::string& space, const std::string& name) const {
  return look_up(diagnostics_, space, name);
}

const Definition& Names::definition(const Field& field) const { return *definitions_.at(&field); }

const Field* Names::for_rule(const std::string& space, const std::string& name, bool& others) const {
  others = false;
  if (const Field* own = field(space, name)) return own;
  const auto found = by_bare_name_.find(name);
  if (found == by_bare_name_.end()) return nullptr;
  others = found->second.size() > 1;
  return found->second.front();
}

std::vector<std::string> Names::field_names() const {
  std::vector<std::string> names;
  for (const auto& [name, fields] : by_bare_name_) names.push_back(name);
  return names;
}

std::vector<std::string> Names::members_of(const std::string& space) const {
  std::vector<std::string> names;
  for (const auto& [name, field] : fields_)
    if (field->space == space) names.push_back(field->name.text);
  for (const auto& [name, diagnostic] : diagnostics_)
    if (diagnostic->space == space) names.push_back(diagnostic->name.text);
  return names;
}

}  // namespace tailrace::dialects::monc
