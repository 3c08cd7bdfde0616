// A check that every message of a run was received.
#pragma once

#include "handshake/start.hpp"

namespace tailrace::handshake {

// Discards pings that the end of the run may have overtaken. If TAILRACE_CHECK_MESSAGES is set, as in the
// tests, waits up to 3 s for all ranks of the run and logs an error for each message to this rank that was
// never received. To be called as the last act of a rank after a run without faults.
void check_all_received(const Started& started);

}  // namespace tailrace::handshake
