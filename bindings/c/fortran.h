// The functions of this binding, besides tailrace.h, that the Fortran binding uses. Not installed.
#pragma once

#include "tailrace/tailrace.h"

extern "C" {

// From now on the messages of a put list extents in the order of Fortran's subscripts, and those about
// indices count from 1. Local; `session` must not be NULL.
TAILRACE_EXPORT void tailrace_list_fastest_first(tailrace_session* session);
// Whether tailrace_finish was called. Local; NULL is allowed.
TAILRACE_EXPORT int tailrace_is_finished(const tailrace_session* session);
}
