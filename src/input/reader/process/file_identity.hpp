// The identity of a file: what its name meant when it was opened, to tell when it means another one.
#pragma once

#include <string>

namespace tailrace::input::process {

// "device inode size mtime_ns", in decimal. Throws Refusal: "absent" if there is no such file.
std::string identity_of(const std::string& path);

// Throws Refusal ("changed") that says what became of the file: removed, replaced, of another size, or
// changed. `expected`: from identity_of.
void check_identity(const std::string& path, const std::string& expected);

}  // namespace tailrace::input::process
