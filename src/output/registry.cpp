#include <fmt/format.h>

#include <map>

#include "base/error.hpp"
#include "output/format.hpp"
#include "output/object_store/location.hpp"

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

void Format::check(const FormatOptions*, const DatasetRequest&, config::Problems&) const {}

bool Format::makes_file(const std::string& path) const {
  return makes_files() && !(writes_objects() && object_store::is_object_url(path));
}

bool Format::exists(const std::string& path) const {
  return env::system_files().entry(path) != env::Entry::none;
}

const Format& Format::chosen_by(const FormatOptions*) const { return *this; }

std::string Format::describe(const FormatOptions*) const { return ""; }

std::map<std::string, ExistingAxis> Format::existing_axes(const std::string& path) const {
  throw Error(ErrorCode::resource, fmt::format("{}: {} goes on with no file", path, name()));
}

std::unique_ptr<Dataset> Format::open_writer(const DatasetSpec&, int, env::FileSystem&) const {
  TAILRACE_ASSERT(false, "only for datasets that can be written by many: " + name());
  return nullptr;
}

Inspection Format::inspect(const std::string& path, bool) const {
  return {.report = fmt::format("{}: datasets of format {} cannot be inspected", path, name())};
}

const Format* find_format(const std::string& name) {
  const auto found = registry().find(name);
  return found == registry().end() ? nullptr : found->second.get();
}

const Format* find_format(const std::string& name, const FormatOptions* options) {
  const Format* const format = find_format(name);
  return format == nullptr ? nullptr : &format->chosen_by(options);
}

std::vector<const Format*> formats() {
  std::vector<const Format*> all;
  for (const auto& [name, format] : registry()) all.push_back(format.get());
  return all;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto& [name, format] : registry()) names.push_back(name);
  return names;
}

Inspection inspect(const std::string& path, bool repair) {
  for (const Format* format : formats())
    if (format->recognises(path)) return format->inspect(path, repair);
  return find_format(default_format)->inspect(path, repair);
}

}  // namespace tailrace::output
