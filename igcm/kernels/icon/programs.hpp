// Shared by the programs of ICON's kernels, which differ only in the kernel that they call.
#pragma once

#include <string>

namespace igcm::icon {

// The program of one result (see `results` in programs.cpp), or of all of them ("all"). Returns the exit
// status.
int run(const std::string& program, const std::string& result, int argc, char** argv);

}  // namespace igcm::icon
