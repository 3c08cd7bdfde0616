#include "input/file_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "input/dated_name.hpp"
#include "input/folders.hpp"

namespace tailrace::input {
namespace {

std::vector<std::string> found_for(const std::string& name, const std::string& path,
                                   const env::FileSystem& files) {
  if (is_url(name)) return {name};
  if (has_dates(name)) {
    auto paths = DatedName(path).found(files);
    if (!paths.empty()) return paths;
    throw Error(ErrorCode::resource,
                fmt::format("there is no file for any date of {}{}", path, instead_of(path, files)));
  }
  if (files.exists(path)) return {path};  // also a name that looks like a glob
  if (!is_glob(name))
    throw Error(ErrorCode::resource, fmt::format("there is no file {}{}", path, instead_of(path, files)));
  auto paths = matching(path, files);
  if (paths.empty())
    throw Error(ErrorCode::resource, fmt::format("no file matches {}{}", path, instead_of(path, files)));
  return paths;
}

}  // namespace

std::optional<std::string> file_name_complaint(const std::string& name) {
  if (name.empty()) return "expected the name of a file, but got nothing";
  if (is_url(name) && has_dates(name))
    return fmt::format("the files behind \"{}\" cannot be listed; expected a URL without dates, or a list",
                       name);
  return date_complaint(name);
}

bool is_url(const std::string& name) { return name.find("://") != std::string::npos; }

bool is_glob(const std::string& name) {
  return !is_url(name) && !has_dates(name) && name.find_first_of("*?[") != std::string::npos;
}

std::vector<std::string> find_files(const std::vector<std::string>& names, const std::string& directory,
                                    const env::FileSystem& files) {
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    const std::string path = std::filesystem::path(name.starts_with('/') ? name : joined(directory, name))
                                 .lexically_normal()
                                 .string();
    for (std::string& found : found_for(name, path, files)) {
      std::erase(paths, found);
      paths.push_back(std::move(found));
    }
  }
  return paths;
}

}  // namespace tailrace::input
