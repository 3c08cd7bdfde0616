// The part of a configuration under `operators:`.
#include <filesystem>

#include "analytics/user/operator.hpp"
#include "config/placeholders.hpp"
#include "session/configuration_values.hpp"

namespace tailrace::session {

using analytics::user::Declaration;
using analytics::user::NamedDim;
using config::Kind;
using config::Value;

namespace {

std::vector<NamedDim> dims_of(const Value& list) {
  std::vector<NamedDim> dims;
  for (const Value& item : list.items()) dims.push_back({item.text(), item.location()});
  return dims;
}

// With a folder in front in any case: the loader searches its own folders for names without.
std::string path_beside(const config::Location& location, const std::string& path) {
  const std::filesystem::path beside = std::filesystem::path(location.file).parent_path() / path;
  const std::string text = beside.lexically_normal().string();
  return text.find('/') == std::string::npos ? "./" + text : text;
}

void set_file(const Value& value, Declaration& declaration, config::Problems& problems) {
  const Value* library = value.find("library");
  const Value* python = value.find("python");
  const Value* symbol = value.find("symbol");
  if ((library == nullptr) == (python == nullptr)) {
    problems.add(value.location(), value.path(), "expected either `library` or `python`");
    return;
  }
  declaration.function = declaration.name;
  declaration.python = python != nullptr;
  declaration.file_location = (python != nullptr ? python : library)->location();
  if (library != nullptr) {
    declaration.path = path_beside(library->location(), library->text());
    if (symbol != nullptr) declaration.function = symbol->text();
    return;
  }
  if (symbol != nullptr)
    problems.add(symbol->location(), symbol->path(),
                 "a function in Python is named behind the file: `python: mine.py:wind_speed`");
  const std::string& text = python->text();
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos) declaration.function = text.substr(colon + 1);
  declaration.path = path_beside(python->location(), text.substr(0, colon));
}

void set_arguments(const Value& value, Declaration& declaration) {
  if (value.kind() != Kind::list) {
    declaration.arguments.resize(static_cast<std::size_t>(value.integer()));
    return;
  }
  for (const Value& item : value.items()) {
    auto& argument = declaration.arguments.emplace_back();
    if (item.kind() == Kind::list) argument = dims_of(item);
  }
}

void set_result(const Value& value, Declaration& declaration) {
  if (const Value* units = value.find("units")) {
    declaration.units = units->text();
    declaration.units_location = units->location();
  }
  const Value* dims = value.find("dims");
  if (dims == nullptr || dims->kind() != Kind::list) return;
  declaration.result.emplace();
  for (const Value& item : dims->items()) {
    if (item.kind() != Kind::map) {
      declaration.result->push_back({item.text(), 0, item.location()});
      continue;
    }
    for (const auto& entry : item.entries())
      declaration.result->push_back({entry.key, entry.value.integer(), entry.location});
  }
}

Declaration operator_of(const config::ValueEntry& entry, config::Problems& problems) {
  Declaration declaration;
  declaration.name = entry.key;
  declaration.location = entry.location;
  set_file(entry.value, declaration, problems);
  if (const Value* arguments = entry.value.find("arguments")) set_arguments(*arguments, declaration);
  if (const Value* whole = entry.value.find("needs_whole")) {
    declaration.needs_all = whole->kind() != Kind::list;
    if (!declaration.needs_all) declaration.needs_whole = dims_of(*whole);
  }
  if (const Value* result = entry.value.find("result")) set_result(*result, declaration);
  if (const Value* safe = entry.value.find("thread_safe")) declaration.thread_safe = safe->flag();
  return declaration;
}

}  // namespace

std::vector<Declaration> operators_of(const Value& value, config::Problems& problems) {
  std::vector<Declaration> declarations;
  for (const auto& entry : value.entries()) declarations.push_back(operator_of(entry, problems));
  analytics::user::check_declarations(declarations, problems);
  return declarations;
}

void check_operators(const Configuration& configuration) {
  std::vector<Declaration> ready = configuration.operators;
  std::erase_if(ready, [](const Declaration& each) {
    return !config::placeholders_in(std::string_view(each.path)).empty();
  });
  config::Problems problems;
  analytics::user::make_operators(ready, problems);
  problems.throw_if_any();
}

}  // namespace tailrace::session
