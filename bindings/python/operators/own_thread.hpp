// The thread on which the operators in Python run, so that what Python keeps of a thread is made once, and a
// Python model that waits for its servers keeps its own.
#pragma once

#include <functional>

namespace tailrace::python {

// Runs `work` on that thread, one call at a time, and waits. `work` must not throw.
void run_on_own_thread(const std::function<void()>& work);

}  // namespace tailrace::python
