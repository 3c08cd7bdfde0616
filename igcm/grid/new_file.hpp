// Paths of files that programs will write are checked before the work begins.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace igcm {

/// Throws std::runtime_error with the path if there is something already, which is never replaced, or if the
/// folder is missing or cannot be written to.
inline void expect_new_file(const std::string& path) {
  const std::filesystem::path file(path);
  if (std::filesystem::exists(std::filesystem::symlink_status(file)))
    throw std::runtime_error(path + ": exists already; it is not replaced");
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (!std::filesystem::is_directory(folder))
    throw std::runtime_error(path + ": cannot be created: the folder " + folder.string() + " is missing");
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    throw std::runtime_error(path + ": cannot be created: the folder " + folder.string() +
                             " cannot be written to");
}

}  // namespace igcm
