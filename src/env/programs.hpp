// Finds the programs that Tailrace starts.
#pragma once

#include <string>

namespace tailrace::env {

// The path of a program that lies in the folder of Tailrace's own library; that of the folder, with a slash
// at its end, for an empty name.
std::string beside_library(const std::string& program);

// The Python of the user's functions: that of `VIRTUAL_ENV`, or else `python3`.
std::string default_interpreter();

}  // namespace tailrace::env
