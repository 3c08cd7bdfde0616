"""MPI jobs that take turns on the cores: while one runs for a moment, all ranks of the others are stopped. Other
activity of the machine affects all of them alike, so their times can be compared more reliably than those of
consecutive runs."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Self

from . import jobs

SLICE = 0.1  # seconds
MARGIN = 1e-3  # a signal may take as long to have its effect


class Turn:
    """A job that is started, runs until it has printed a line that begins with `begun`, and is then stopped. As a
    context manager it ends the processes that remain."""

    def __init__(self, command: list, ranks: int, where: Path, begun: str, ended: str) -> None:
        self.standstills: list[tuple[float, float]] = []  # from, to: seconds of the monotonic clock
        self._where, self._begun, self._ended = where, begun, ended
        self._lines: list[str] = []
        self._has_begun, self._has_ended = threading.Event(), threading.Event()
        self._line = jobs.command_line(command, ranks)
        self._errors = (where / "stderr").open("w+")
        self._process = subprocess.Popen(
            self._line,
            cwd=where,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=os.environ | {"GFORTRAN_UNBUFFERED_ALL": "1"},
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        self._has_begun.wait()
        self._ranks = descendants(self._process.pid)
        self._since = self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._signal(signal.SIGCONT)
            self._process.terminate()
            self._process.wait()
        self._reader.join()
        self._errors.close()

    def over(self) -> bool:
        return self._has_ended.is_set()

    def run(self, seconds: float) -> None:
        self.standstills.append((self._since, time.monotonic()))
        self._signal(signal.SIGCONT)
        self._has_ended.wait(seconds)
        if not self.over():
            self._since = self._stop()

    def stood_still(self, begin: float, end: float) -> float:
        """Seconds between two moments of the monotonic clock."""
        both = [(max(begin, since), min(end, until)) for since, until in self.standstills]
        return sum(until - since for since, until in both if until > since)

    def ran_through(self, begin: float, end: float) -> bool:
        return self.stood_still(begin - MARGIN, end + MARGIN) == 0

    def finish(self) -> jobs.Done:
        self._signal(signal.SIGCONT)  # it may have been stopped while its last line was on its way here
        self._process.wait()
        self._reader.join()
        self._errors.seek(0)
        return jobs.done(self._line, self._process.returncode, "".join(self._lines), self._errors.read(), self._where)

    def _read(self) -> None:
        for line in self._process.stdout:
            self._lines.append(line)
            if line.startswith(self._begun):
                self._has_begun.set()
            if line.startswith(self._ended):
                self._has_ended.set()
        self._has_begun.set()  # also where it failed
        self._has_ended.set()

    def _signal(self, number: signal.Signals) -> None:
        for rank in self._ranks:
            with contextlib.suppress(ProcessLookupError):
                os.kill(rank, number)

    def _stop(self) -> float:
        self._signal(signal.SIGSTOP)
        return time.monotonic()


def descendants(process: int) -> list[int]:
    """Children, their children and so on."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has ended
            continue
        parents.setdefault(int(fields[1]), []).append(int(status.parent.name))
    found, new = [], [process]
    while new:
        new = [child for parent in new for child in parents.get(parent, [])]
        found += new
    return found


def take_turns(turns: list[Turn]) -> None:
    """Until all of them have printed their last line."""
    while not all(turn.over() for turn in turns):
        for turn in turns:
            if not turn.over():
                turn.run(SLICE)
