// Says why the system refused a path, where its own words leave open which part of the path is meant.
#pragma once

#include <string>

namespace tailrace::env {

// `code`: the errno of a call with `path`. ENOENT for a name in a folder that does not exist names the first
// folder that is missing; ENOTDIR, and EEXIST from making folders, names the part that is not a folder;
// EACCES for a new name names the folder that refuses. Otherwise the system's message.
std::string reason(const std::string& path, int code);

}  // namespace tailrace::env
