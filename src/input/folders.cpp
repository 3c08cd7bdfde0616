#include "input/folders.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/nearest_name.hpp"

namespace tailrace::input {
namespace {

// The names in a folder; none if it is not there or cannot be listed.
std::vector<std::string> names_in(const std::string& folder, const env::FileSystem& files) {
  try {
    return files.list(folder.empty() ? "." : folder);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

std::string joined(const std::string& folder, const std::string& name) {
  return folder.empty() || folder.ends_with('/') ? folder + name : folder + "/" + name;
}

std::vector<std::string> matching(const std::string& pattern, const env::FileSystem& files) {
  std::vector<std::string> found{""};
  for (const auto& each : std::filesystem::path(pattern)) {
    const std::string part = each.string();
    const bool is_pattern = part.find_first_of("*?[\\") != std::string::npos;
    std::vector<std::string> next;
    for (const std::string& folder : found) {
      if (!is_pattern && files.exists(joined(folder, part))) next.push_back(joined(folder, part));
      if (!is_pattern) continue;
      for (const std::string& name : names_in(folder, files))
        if (fnmatch(part.c_str(), name.c_str(), FNM_PERIOD) == 0) next.push_back(joined(folder, name));
    }
    found = std::move(next);
  }
  std::ranges::sort(found);
  return found;
}

std::string instead_of(const std::string& path, const env::FileSystem& files) {
  std::string folder;
  for (const auto& part : std::filesystem::path(path)) {
    const std::string inner = joined(folder, part.string());
    if (files.exists(inner)) {
      folder = inner;
      continue;
    }
    const std::string where = folder.empty() ? "the working directory" : folder;
    const std::vector<std::string> names = names_in(folder, files);
    if (names.empty()) return fmt::format("; {} is empty", where);
    return fmt::format("; {} has no \"{}\".{}", where, part.string(), base::name_hint(part.string(), names));
  }
  return "";
}

}  // namespace tailrace::input
