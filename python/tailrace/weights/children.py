"""Runs makers of weights as children, which end when this process receives a signal to end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from types import FrameType

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
USUAL = (signal.SIG_DFL, signal.default_int_handler)
GRACE = 5.0  # seconds in which a maker removes its own temporary files


class Stopped(BaseException):
    """This process received a signal to end."""


class Children:
    """Only the wait for children is interrupted, so that none of them and no folder is forgotten."""

    def __init__(self) -> None:
        self.signal = 0
        self._waits = False
        self._running: list[subprocess.Popen[bytes]] = []

    def run(self, commands: list[list[str]]) -> list[int]:
        """The exit statuses of the commands, which run all at once."""
        try:
            for command in commands:
                self._check()
                # A group of its own has the children of the child too.
                child = subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=0)
                self._running.append(child)
            self._waits = True
            self._check()
            statuses = [child.wait() for child in self._running]
            self._waits = False
            return statuses
        finally:
            self._waits = False
            self._end()

    def stop(self, number: int, frame: FrameType | None) -> None:
        """A handler of signals."""
        del frame
        self.signal = self.signal or number
        if self._waits:
            self._waits = False
            raise Stopped

    def _check(self) -> None:
        if self.signal:
            raise Stopped

    def _end(self) -> None:
        left = [child for child in self._running if child.poll() is None]
        for child in left:
            _kill_group(child, signal.SIGTERM)
        for child in left:
            try:
                child.wait(GRACE)
            except subprocess.TimeoutExpired:
                _kill_group(child, signal.SIGKILL)
                child.wait()
        self._running = []


def _kill_group(child: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, number)


@contextlib.contextmanager
def children() -> Iterator[Children]:
    """A signal to end leaves the block as an exception does. Then it ends the process, as it would have at once."""
    ours = Children()
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {one: handler for one in SIGNALS if (handler := signal.getsignal(one)) in USUAL}
    for one in before:
        signal.signal(one, ours.stop)
    try:
        yield ours
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        if ours.signal:
            os.kill(os.getpid(), ours.signal)
