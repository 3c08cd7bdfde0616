// Whether every message of a run was received.
#pragma once

#include "handshake/start.hpp"

namespace tailrace::handshake {

// Takes what may be overtaken by the end (take_late_words). Where TAILRACE_CHECK_MESSAGES is set, as tests
// set it: waits for all ranks of the run, some seconds at most, and logs an error for each message to this
// rank that nobody took. To be called as a rank's last act after a run in good order.
void check_all_received(const Started& started);

}  // namespace tailrace::handshake
