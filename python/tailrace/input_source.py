"""The process that reads what xarray, ADIOS2 or a user's function opens, for servers of input.

`python -m tailrace.input_source [--stream | MODULE:FUNCTION] SOCKET` answers the requests that
src/input/reader/reader_process.hpp describes. With `--stream`, files are names of streams over SST. The decorator of
functions is `tailrace.input_source`; see sources/.
"""

from __future__ import annotations

import os
import resource
import signal
import sys

from tailrace.sources.opening import Opener
from tailrace.sources.server import Server

LEAST_LIMIT = 64 << 30  # bytes of addresses, most of which libraries reserve and do not use


def set_limits() -> None:
    """A damaged file that asks for too much memory gets an error, at no cost to other processes; no core file."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for what, most in ((resource.RLIMIT_AS, max(memory, LEAST_LIMIT)), (resource.RLIMIT_CORE, 0)):
        soft, hard = resource.getrlimit(what)
        if soft == resource.RLIM_INFINITY or soft > most:
            resource.setrlimit(what, (most, hard))


def stand_apart() -> None:
    """A function may print and read: that goes to standard error, and finds nothing."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    # The launcher may signal all processes of the job; this one ends when its server closes the socket.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def main() -> None:
    stand_apart()
    set_limits()
    *what, descriptor = sys.argv[1:]
    is_stream = what == ["--stream"]
    Server(int(descriptor), Opener(what[0] if what and not is_stream else None, is_stream)).run()


if __name__ == "__main__":
    main()
