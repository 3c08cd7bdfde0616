// The thread on which operators in Python run, so that its Python thread state is created once, and a Python
// model that waits for its servers keeps its own.
#pragma once

#include <functional>

namespace tailrace::python {

// Runs `work` on that thread, one call at a time, and blocks until it returns. `work` must not throw.
void run_on_own_thread(const std::function<void()>& work);

}  // namespace tailrace::python
