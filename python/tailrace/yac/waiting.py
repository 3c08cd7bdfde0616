"""Waiting for other components: what is waited for is said after the time of the watchdog, and it ends.

While YAC's definitions are exchanged YAC holds this process, so a process beside it looks at the clock (watcher.py).
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from .errors import PartnerError

SPINS = 200  # looks without a pause: most values are there or come at once
LONGEST_PAUSE = 2e-3  # seconds


def say(level: str, message: str) -> None:
    print(f"tailrace: {level}: {message}", file=sys.stderr, flush=True)


class Patience:
    """`watchdog`: seconds until a warning; `limit`: until the run ends. 0: never. Only the first process of a
    component warns, since mostly all of them wait for the same."""

    def __init__(self, watchdog: float, limit: float, is_first: bool):
        self.watchdog, self.limit = watchdog if is_first else 0.0, limit

    def wait(self, is_done: Callable[[], bool], what: Callable[[str], str]) -> None:
        """Looks until it is done. `what` makes a sentence of the time waited. Raises PartnerError."""
        begin, pause, looks = time.monotonic(), 2e-5, 0
        next_warning = self.watchdog
        while not is_done():
            looks += 1
            if looks < SPINS:
                continue
            time.sleep(pause)
            pause = min(1.2 * pause, LONGEST_PAUSE)
            waited = time.monotonic() - begin
            if self.limit and waited > self.limit:
                raise PartnerError(
                    f"{what(f'{waited:.0f} s')}. The run ends here (yac.wait_for); what was complete is in the files"
                )
            if next_warning and waited > next_warning:
                say("warning", what(f"{waited:.0f} s"))
                next_warning *= 2


class Watcher:
    """The process beside the set-up."""

    def __init__(self, watchdog: float, limit: float):
        self._process = None
        if not (watchdog or limit):
            return
        command = [sys.executable, "-I", "-S", str(Path(__file__).with_name("watcher.py")), str(watchdog), str(limit)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)

    def phase(self, what: str) -> None:
        """A sentence that says what is waited for from now on; the time waited is appended to it."""
        if self._process:
            assert self._process.stdin is not None
            self._process.stdin.write(what + "\n")
            self._process.stdin.flush()

    def end(self) -> None:
        if self._process:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait()
            self._process = None
