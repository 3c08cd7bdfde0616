"""Readers of streams that run beside a job, and a job that is stopped until they have reached a given point."""

import os
import signal
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import tailrace
import xarray as xr


@contextmanager
def standing_still(running):
    """Stops the first rank."""
    pid = int((running.folder / "pid.0").read_text())
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):  # the test may have killed it
            os.kill(pid, signal.SIGCONT)


def wait_until(happens, timeout: float = 60.0) -> None:
    end = time.monotonic() + timeout
    while not happens():
        assert time.monotonic() < end, f"it did not happen in {timeout} s"
        time.sleep(0.01)


class Reader(threading.Thread):
    """Follows a source to its end."""

    def __init__(self, source: Path, **options):
        super().__init__(daemon=True)
        self.source, self.options = source, options
        self.steps: list[xr.Dataset] = []
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            for step in tailrace.stream(self.source, timeout=60.0, **self.options):
                self.steps.append(step)
        except BaseException as error:
            self.error = error

    def got(self) -> list[xr.Dataset]:
        self.join()
        if self.error:
            raise self.error
        return self.steps
