#include <fmt/format.h>

#include <map>

#include "base/error.hpp"
#include "output/dataset.hpp"

namespace tailrace::output {
namespace {

std::map<std::string, std::unique_ptr<Format>>& registry() {
  static std::map<std::string, std::unique_ptr<Format>> formats;
  return formats;
}

}  // namespace

FormatRegistration::FormatRegistration(std::unique_ptr<Format> format) {
  const std::string name = format->name();
  const bool added = registry().emplace(name, std::move(format)).second;
  TAILRACE_ASSERT(added, "two formats are called " + name);
}

std::map<std::string, ExistingAxis> Format::existing_axes(const std::string& path) const {
  throw Error(ErrorCode::resource, fmt::format("{}: {} goes on with no file", path, name()));
}

const Format* find_format(const std::string& name) {
  const auto found = registry().find(name);
  return found == registry().end() ? nullptr : found->second.get();
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto& [name, format] : registry()) names.push_back(name);
  return names;
}

}  // namespace tailrace::output
