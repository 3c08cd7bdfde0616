// New files under a temporary name, which they lose when they are whole.
#pragma once

#include <memory>
#include <string>

#include "env/file_system.hpp"
#include "output/dataset.hpp"
#include "output/netcdf/names.hpp"

namespace tailrace::output::netcdf {

// Removes the temporary file on destruction unless it was renamed. `files` must outlive this object.
class Temporary {
 public:
  Temporary(env::FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {}
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  void rename_to(const std::string& place, IfExists if_exists);  // throws Error(resource)

 private:
  env::FileSystem& files_;
  std::string path_;
  bool renamed_ = false;
};

// The file that a path leads to through links: a copy that takes its name must replace the file, and not the
// link, which is the user's. The path itself if there is no such file.
std::string behind_links(const std::string& path);
// Whether the file has hard links with other names, which would keep the old file if a copy took this one.
bool has_other_names(const std::string& path);
// Gives the new file the permissions of the old one, as far as the system allows it.
void keep_permissions(const std::string& old_file, const std::string& new_file);

// Creates a new, empty file with this name, never through a link. Removes a leftover of a killed run. The
// writer's mark distinguishes a leftover from the file of a session that is about to rename it. Throws
// Error(resource).
std::unique_ptr<env::File> create_fresh(env::FileSystem& files, const std::string& name);

}  // namespace tailrace::output::netcdf
