#include <map>
#include <utility>

#include "base/error.hpp"
#include "dialects/dialect.hpp"

namespace tailrace::dialects {
namespace {

std::map<std::string, std::unique_ptr<Dialect>>& registry() {
  static std::map<std::string, std::unique_ptr<Dialect>> dialects;
  return dialects;
}

}  // namespace

DialectRegistration::DialectRegistration(std::unique_ptr<Dialect> dialect) {
  const std::string name = dialect->name();
  const bool added = registry().emplace(name, std::move(dialect)).second;
  TAILRACE_ASSERT(added, "two dialects are called " + name);
}

const Dialect* find_dialect(const std::string& name) {
  const auto found = registry().find(name);
  return found == registry().end() ? nullptr : found->second.get();
}

std::vector<std::string> dialect_names() {
  std::vector<std::string> names;
  for (const Dialect* dialect : all_dialects()) names.push_back(dialect->name());
  return names;
}

std::vector<const Dialect*> all_dialects() {
  std::vector<const Dialect*> all;
  for (const auto& [name, dialect] : registry()) all.push_back(dialect.get());
  return all;
}

config::Dialects notations() {
  const std::vector<const Dialect*> all = all_dialects();
  return {all.begin(), all.end()};
}

const time::Convention& convention_of(const std::string& legacy) {
  const Dialect* dialect = find_dialect(legacy);
  return dialect != nullptr ? dialect->convention() : time::standard_convention();
}

}  // namespace tailrace::dialects
