// Handling of errors that the model does not catch.
#pragma once

namespace tailrace::session {

// From now on an uncaught tailrace::Error ends the program with its message and status 1 instead of SIGABRT,
// for which MPI prints a stack trace of each rank. Does not change other exceptions, nor a terminate handler
// of the program.
void report_uncaught_errors();

}  // namespace tailrace::session
