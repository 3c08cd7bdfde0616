// Restricts access to streams. ADIOS2's sockets listen on all interfaces, and everyone can read its contact
// file; it has no option to change either.
#pragma once

#include <set>
#include <string>

namespace tailrace::output::adios2 {

using Listeners = std::set<int>;  // descriptors of this process' TCP sockets that listen

Listeners listeners();
Listeners listeners_since(const Listeners& before);

// The system then drops what comes from other nodes, before the process sees it. Throws std::runtime_error.
void keep_to_loopback(const Listeners& sockets);

void keep_to_user(const std::string& file);

}  // namespace tailrace::output::adios2
