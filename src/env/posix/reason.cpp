#include "env/posix/reason.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

namespace tailrace::env {
namespace {

namespace fs = std::filesystem;

// The first part of the path, from its root, that is not a folder.
std::optional<fs::path> first_that_is_no_folder(const fs::path& path) {
  fs::path part;
  for (const fs::path& name : path) {
    part /= name;
    std::error_code failed;
    if (!fs::is_directory(part, failed)) return part;
  }
  return std::nullopt;
}

std::string with_working_directory(const fs::path& part) {
  std::error_code failed;
  const fs::path here = fs::current_path(failed);
  return part.is_absolute() || failed ? "" : fmt::format(" (in {})", here.string());
}

}  // namespace

std::string reason(const std::string& path, int code) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code failed;
  if (code == ENOENT) {
    const auto missing = first_that_is_no_folder(folder);
    if (missing)
      return fmt::format("the folder {} does not exist{}", missing->string(),
                         with_working_directory(*missing));
  }
  if (code == ENOTDIR || code == EEXIST) {
    const auto part = first_that_is_no_folder(path);
    const bool is_inside = part && *part != fs::path(path);
    if (part && fs::exists(*part, failed) && (code == ENOTDIR || is_inside))
      return fmt::format("{} is {}not a folder", part->string(),
                         fs::is_regular_file(*part, failed) ? "a file, " : "");
  }
  if (code == EACCES && !fs::exists(path, failed)) {
    const fs::path at = folder.empty() ? fs::path(".") : folder;
    if (fs::is_directory(at, failed) && ::access(at.c_str(), W_OK | X_OK) != 0)
      return fmt::format("no permission in the folder {}", fs::absolute(at, failed).string());
  }
  return std::generic_category().message(code);
}

}  // namespace tailrace::env
