"""Follows a file while it grows, until its job has ended."""

import time
from collections.abc import Iterator

import xarray as xr

from .errors import JobEnded, StreamError, StreamTimeout
from .job import Job
from .records import NewRecords, Position
from .selection import Selection
from .snapshots import NetcdfFile

SHORTEST_WAIT, LONGEST_WAIT = 0.02, 0.5  # seconds between two looks at the file
TRIES = 20  # to open a file that is being written, before its error is believed


class Following:
    def __init__(self, file: NetcdfFile, job: Job, selection: Selection, every: int, timeout: float | None):
        self.file = file
        self.job = job
        self.selection = selection
        self.every = every
        self.timeout = timeout
        self.position = Position()
        self.failures = 0

    def steps(self, start: str | int) -> Iterator[xr.Dataset]:
        begin = start
        seen = None
        wait = SHORTEST_WAIT
        moved = time.monotonic()
        while True:
            is_written = self.file.is_written()  # asked first: what is there then is all of a finished file
            stamp = self.file.stamp()
            if stamp is not None and (stamp != seen or not is_written):
                taken = self.position.steps
                for step in self._look(begin, is_written):
                    yield step
                    moved = time.monotonic()
                if self.failures == 0:
                    seen, begin = stamp, "first"
                if self.position.steps > taken:
                    wait = SHORTEST_WAIT
                    moved = time.monotonic()
                    continue
                if not is_written and self.failures == 0 and self._has_ended():
                    return
            self._complain_after(moved)
            time.sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT)

    def _look(self, begin: str | int, is_written: bool) -> Iterator[xr.Dataset]:
        """The steps that are new. The file is not held open between two of them while it grows: a reader that holds it
        sees what was there when it was opened, and any other in this process with it."""
        if not is_written:
            try:
                yield from self._next_of(begin, only_one=False)
            except (OSError, RuntimeError, ValueError, KeyError) as error:
                raise StreamError(f"{self.file.path}: cannot be read: {error}") from error
            return
        while (found := self._try_next(begin)) is not None:
            yield found
            begin = "first"

    def _try_next(self, begin: str | int) -> xr.Dataset | None:
        try:
            found = next(iter(list(self._next_of(begin, only_one=True))), None)
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            self.failures += 1
            if self.failures >= TRIES:
                raise StreamError(f"{self.file.path}: cannot be read: {error}") from error
            return None
        self.failures = 0
        return found

    def _next_of(self, begin: str | int, only_one: bool) -> Iterator[xr.Dataset]:
        with self.file.open() as records:
            self._check(records)
            steps = records.steps(self.position)
            self._skip(steps, begin)
            for step in steps:
                if self.position.steps % self.every == 0 and records.has_any(step, self.selection):
                    read = records.read(step, self.selection, str(self.file.path))
                    self._pass(step)
                    yield read
                    if only_one:
                        return
                else:
                    self._pass(step)

    def _skip(self, steps: list[dict[str, int]], begin: str | int) -> None:
        count = max(0, len(steps) - 1) if begin == "last" else 0 if begin == "first" else int(begin)
        for step in steps[:count]:
            self._pass(step)
        self.position.steps -= len(steps[:count])  # decimation counts from the first step that is given
        del steps[:count]

    def _pass(self, step: dict[str, int]) -> None:
        self.position.steps += 1
        for dim, number in step.items():
            self.position.given[dim] = number + 1

    def _check(self, records: NewRecords) -> None:
        if not records.dims:
            raise StreamError(f"{self.file.path}: no dimension of it grows, so it has no steps; open it with xarray")
        for dim, given in self.position.given.items():
            if records.raw.sizes.get(dim, 0) < given:
                raise StreamError(
                    f"{self.file.path}: {given} records along {dim} were read, but now there are fewer: "
                    "another run has replaced it"
                )
        self.selection.of(records.raw.isel({dim: slice(0, 0) for dim in records.dims}), str(self.file.path))

    def _has_ended(self) -> bool:
        """Nobody writes it any more. Raises JobEnded where the job did not come to its end."""
        outcome = self.job.outcome()
        if outcome is None and self.job.is_running():
            return False  # its report is about to come, or it is about to go on with this file
        outcome = outcome or self.job.outcome()
        if outcome == "complete" or self.job.directory() is None:
            return True
        outcome = outcome or "it was killed: there is no report of its end"
        raise JobEnded(
            f"{self.file.path}: its job ended early: {outcome}. All whole records were given ({self.position.last()})",
            outcome,
        )

    def _complain_after(self, moved: float) -> None:
        if self.timeout is None or time.monotonic() - moved < self.timeout:
            return
        if self.file.stamp() is None:
            raise StreamTimeout(f"{self.file.path}: waited {self.timeout:g} s for this {self.file.kind} to be created")
        raise StreamTimeout(
            f"{self.file.path}: waited {self.timeout:g} s for a record behind {self.position.last()}; "
            f"{'a job writes it' if self.file.is_written() else 'nobody writes it'} ({self.job.words()})"
        )
