// Finds paths by patterns, and tells what is there in place of a path.
#pragma once

#include <string>
#include <vector>

#include "env/file_system.hpp"

namespace tailrace::input {

std::string joined(const std::string& folder, const std::string& name);

// All paths that match, in the order of their names. `pattern`: a path with the marks of fnmatch, each of
// which matches within one folder. Names that begin with a dot match only a dot.
std::vector<std::string> matching(const std::string& pattern, const env::FileSystem& files);

// The end of a message: "; FOLDER has no "NAME". Did you mean ...", for the first part of the path that is
// not there. Empty if all parts are.
std::string instead_of(const std::string& path, const env::FileSystem& files);

}  // namespace tailrace::input
