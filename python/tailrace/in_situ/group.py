"""The processes below the supervisor: the one that calls the function, and all that the function starts."""

import ctypes
import os
import signal
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
# The leader of the group. It hears when the supervisor ends, however that ends, and takes the group along.
GUARD = ["/bin/sh", "-c", "read -r _; kill -KILL 0"]
LOOK_EVERY = 0.05  # seconds, at the memory and the time of a call
MOST_LOOKING = 0.1  # of the time, where there are many processes to look at
STRAY_SECONDS = 5.0  # for the end of processes that were killed


def adopt_orphans() -> None:
    """A process whose parent has ended becomes a child of this one, so nothing that the function starts gets lost."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children(process: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            with suppress(OSError):
                found.extend(map(int, (thread / "children").read_text().split()))
    return found


def descendants(process: int) -> list[int]:
    found = children(process)
    for each in found:  # it grows meanwhile
        found.extend(children(each))
    return found


def own_bytes(process: int) -> int:
    """A step is mapped while it is read, and libraries are shared: these do not count."""
    with suppress(OSError, ValueError):
        resident, shared = Path(f"/proc/{process}/statm").read_text().split()[1:3]
        return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
    return 0


def part_of_own_bytes(process: int) -> int:
    """As own_bytes, where memory that a fork shares counts in parts; dear, since the system goes through all pages."""
    with suppress(OSError, ValueError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss_Anon:"):
                return int(line.split()[1]) << 10
    return own_bytes(process)


def end_strays() -> None:
    """Kills all children, those that they leave behind, and so on: also what has left the group."""
    end = time.monotonic() + STRAY_SECONDS
    while time.monotonic() < end:
        for process in children(os.getpid()):
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        with suppress(BlockingIOError):
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                return
        time.sleep(0.001)


class Worker:
    """The process that calls the function, with a socket between, in a process group of its own. It stays in the
    session of the job, by which batch systems know what belongs to it."""

    def __init__(self, command: list[str]):
        quiet = subprocess.DEVNULL
        self.guard = subprocess.Popen(GUARD, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, process_group=0)
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = subprocess.Popen(
                [*command, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=quiet,
                env={"MPLBACKEND": "Agg"} | os.environ | {"TAILRACE_SUPERVISOR": str(os.getpid())},
                process_group=self.guard.pid,
            )
        self.since = time.monotonic()
        self.is_loaded = False
        self.is_sink = False  # its function gets all steps in one call
        self.is_ending = False  # no step will come, and the function of a sink does what is left to do
        self.descriptor: int | None = None  # of the step that it works on
        self.look_at = 0.0
        self.held = 0  # bytes, at the last look

    def call(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.since = time.monotonic()
        with suppress(OSError):  # it has ended, which its socket tells too
            socket.send_fds(self.socket, [b"step"], [descriptor])

    def begin_end(self) -> None:
        """Lets the function of a sink leave its loop; it answers when it is done."""
        self.is_ending = True
        self.since = time.monotonic()
        self.socket.shutdown(socket.SHUT_WR)

    def is_busy(self) -> bool:
        return self.descriptor is not None or self.is_ending

    def look(self, allowed: int) -> int:
        """How much memory it and all that its function started hold, or held a moment ago."""
        began = time.monotonic()
        if began < self.look_at:
            return self.held
        self._bury_orphans()
        processes = descendants(os.getpid())
        self.held = sum(map(own_bytes, processes))
        if self.held > allowed:
            self.held = sum(map(part_of_own_bytes, processes))
        now = time.monotonic()
        self.look_at = now + max(LOOK_EVERY / 2, (now - began) / MOST_LOOKING)
        return self.held

    def _bury_orphans(self) -> None:
        for process in {*children(os.getpid())} - {self.process.pid, self.guard.pid}:
            with suppress(OSError):
                os.waitpid(process, os.WNOHANG)

    def end(self, patience: float = 0.0) -> None:
        """Lets it end, or kills it; what its function started ends with it."""
        self.socket.close()
        if self.descriptor is not None:
            os.close(self.descriptor)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=patience)
        os.killpg(self.guard.pid, signal.SIGKILL)  # nobody has waited for the guard, so the number is still its own
        self.process.wait()
        self.guard.stdin.close()
        self.guard.wait()
        end_strays()
