"""How many bytes the processes of a program read from files, as the system counts it (`/proc/PID/io`)."""

import os
import socket
import subprocess
import threading
from pathlib import Path
from typing import Self

from .turns import descendants

POLL = 0.01  # seconds


def counted(process: int) -> int:
    """All that it has read so far, also from sockets; readers get short requests by these."""
    return int(dict(line.split(": ") for line in Path(f"/proc/{process}/io").read_text().splitlines())["rchar"])


def start_bytes(program: Path) -> int:
    """A reader reads as much of itself and its libraries before it has a request."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        reader = subprocess.Popen([program, str(theirs.fileno())], pass_fds=[theirs.fileno()])
    os.waitid(os.P_PID, reader.pid, os.WEXITED | os.WNOWAIT)  # its counters are there until it is waited for
    read = counted(reader.pid)
    reader.wait()
    return read


class ReadBytes:
    """Counts what the readers below this process read, without their start. It looks at them again and again, since
    their counters go with them. It may miss what one reads in its last moment, which is nothing, since readers live on
    to the end of the job."""

    def __init__(self, program: Path) -> None:
        self._program, self._read = program, {}
        self._start = start_bytes(program)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def total(self) -> int:
        return sum(read - self._start for read in self._read.values())

    def _watch(self) -> None:
        while not self._over.wait(POLL):
            for process in descendants(os.getpid()):
                try:
                    if Path(f"/proc/{process}/comm").read_text().strip() == self._program.name[:15]:
                        self._read[process] = counted(process)
                except OSError:  # it has ended
                    continue
