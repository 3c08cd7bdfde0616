// An error that the model's own code does not catch.
#pragma once

namespace tailrace::session {

// From now on a tailrace::Error that nobody catches ends the program with its message and status 1, not by
// SIGABRT, for which MPI prints a stack trace of each rank. Other exceptions end it as before, and so does
// this one where the program has a terminate handler of its own.
void tell_uncaught_errors();

}  // namespace tailrace::session
