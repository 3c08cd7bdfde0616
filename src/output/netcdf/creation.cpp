#include "output/netcdf/creation.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "env/open_files.hpp"
#include "output/netcdf/names.hpp"

namespace tailrace::output::netcdf {

Temporary::~Temporary() {
  if (renamed_) return;
  try {
    files_.remove(path_);
  } catch (const Error&) {
    // The next creation replaces it.
  }
}

void Temporary::rename_to(const std::string& place, IfExists if_exists) {
  try {
    if_exists == IfExists::replace ? files_.rename(path_, place) : files_.rename_new(path_, place);
  } catch (const Error& error) {
    throw Error(ErrorCode::resource, fmt::format("cannot be given its name: {}", error.what()));
  }
  renamed_ = true;
}

std::unique_ptr<env::File> create_fresh(env::FileSystem& files, const std::string& name) {
  const auto taken = [&name] {
    return Error(ErrorCode::resource,
                 fmt::format("is being created by another session: {}", env::who_writes(name, 1)));
  };
  const env::Entry entry = files.entry(name);
  if (entry == env::Entry::file) {
    const auto left = files.open(name, env::Access::update);
    if (!left->mark_as_writer()) throw taken();
    files.remove(name);
  } else {
    files.remove(name);  // it may be a dangling link
  }
  auto file = files.open(name, env::Access::create_new);
  // Another session may have removed it as a leftover before it was marked.
  if (!file->mark_as_writer() || !file->is_file_at(name)) throw taken();
  return file;
}

std::string behind_links(const std::string& path) {
  std::error_code is_none;
  const auto file = std::filesystem::canonical(path, is_none);
  return is_none ? path : file.string();
}

bool has_other_names(const std::string& path) {
  std::error_code is_none;
  const auto names = std::filesystem::hard_link_count(path, is_none);
  return !is_none && names > 1;
}

void keep_permissions(const std::string& old_file, const std::string& new_file) {
  std::error_code failed;
  const auto status = std::filesystem::status(old_file, failed);
  if (!failed) std::filesystem::permissions(new_file, status.permissions(), failed);
}

std::string name_while_created(const std::string& path) {
  const std::filesystem::path full(path);
  return (full.parent_path() / fmt::format(".{}.new", full.filename().string())).string();
}

}  // namespace tailrace::output::netcdf
