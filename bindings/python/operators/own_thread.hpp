// The thread on which the operators in Python run: what crashes there ends their call, not the server.
#pragma once

#include <functional>

namespace tailrace::python {

// Runs `work` on that thread, one call at a time, and waits. Returns 0, or the signal by which it crashed (a
// memory fault, abort, ...): nothing of it is unwound then. The crashed thread lets Python's lock go and
// sleeps for the rest of the process, since Python may still look at its stack; further work goes to a new
// one. `work` must not throw.
int run_on_own_thread(const std::function<void()>& work);

}  // namespace tailrace::python
