"""Follows a file, or the files of a series, while they grow, until their job has ended."""

import time
from collections.abc import Iterator

import xarray as xr

from .errors import JobEnded, StreamError, StreamTimeout
from .job import Job
from .records import NewRecords, Position
from .selection import Selection
from .series import Series, Single
from .snapshots import NetcdfFile
from .turn import Turn

SHORTEST_WAIT, LONGEST_WAIT = 0.02, 0.5  # seconds between two looks at the file
TRIES = 20  # to open a file that is being written, before its error is believed
REPORT_PATIENCE = 10.0  # seconds from the records of a file until the report of its job speaks of it
MOST_STEPS, MOST_BYTES = 20, 2**24  # read at one opening: to open a file takes longer than to read a small record


class Following:
    def __init__(
        self,
        source: Single | Series,
        job: Job,
        selection: Selection,
        start: str | int,
        every: int,
        timeout: float | None,
    ):
        self.source = source
        self.job = job
        self.selection = selection
        self.turn = Turn(start if isinstance(start, int) else 0, every)
        self.timeout = timeout
        self.only_newest = start == "last"
        self.file: NetcdfFile | None = None
        self.position = Position()
        self.is_checked = False
        self.failures = 0
        self.moved = time.monotonic()

    def steps(self) -> Iterator[xr.Dataset]:
        self.moved = time.monotonic()
        while self._opens_next():
            yield from self._steps_of_file()
        self._check_end()

    def _opens_next(self) -> bool:
        """Waits for the first file; any other one is there before the one in front of it is finished."""
        wait = SHORTEST_WAIT
        while (found := self.source.next(self.only_newest, self.selection.fields)) is None:
            if self.file is not None:
                return False
            self._complain_after(self.moved)
            time.sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT)
        self.file = found
        self.job.source = found.path
        self.position = Position()
        self.is_checked = False
        return True

    def _steps_of_file(self) -> Iterator[xr.Dataset]:
        seen = None
        wait = SHORTEST_WAIT
        while True:
            is_written = self.file.is_written()  # asked first: what is there then is all of a finished file
            stamp = self.file.stamp()
            if stamp is not None and (stamp != seen or not is_written):
                passed = self.position.passed()
                found, is_all = self._read(is_written)
                for step in found:
                    yield step
                    self.moved = time.monotonic()
                if is_all:
                    seen = stamp
                if self.position.passed() > passed:
                    wait = SHORTEST_WAIT
                    self.moved = time.monotonic()
                if is_all and not is_written and (self.source.has_later() or self._is_over()):
                    return
                if self.position.passed() > passed:
                    continue
            self._complain_after(self.moved)
            time.sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT)

    def _read(self, is_written: bool) -> tuple[list[xr.Dataset], bool]:
        """The next steps, and whether there are no more in the file now. It is not held open while they are given: a
        reader that holds it sees what was there when it was opened."""
        found: list[xr.Dataset] = []
        try:
            with self.file.open() as records:
                self._check(records)
                steps = records.steps(self.position)
                if self.only_newest:
                    steps = self._from_newest(records, steps)
                for step in steps:
                    is_asked_for = records.has_any(step, self.selection)
                    if is_asked_for and self.turn.has_come():
                        found.append(records.read(step, self.selection, str(self.file.path)))
                    self.position.go_behind(step)
                    if is_asked_for:
                        self.turn.go_on()
                    if len(found) >= MOST_STEPS or sum(one.nbytes for one in found) >= MOST_BYTES:
                        return found, step is steps[-1]
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            self.failures += not found
            if not is_written or self.failures >= TRIES:
                raise StreamError(f"{self.file.path}: cannot be read: {error}") from error
            return found, False
        self.failures = 0
        return found, True

    def _from_newest(self, records: NewRecords, steps: list[dict[str, int]]) -> list[dict[str, int]]:
        """Those from the last one on that has a field which is asked for; none before there is one."""
        asked_for = [number for number, step in enumerate(steps) if records.has_any(step, self.selection)]
        first = asked_for[-1] if asked_for else len(steps)
        self.only_newest = not asked_for
        for step in steps[:first]:
            self.position.go_behind(step)
        return steps[first:]

    def _check(self, records: NewRecords) -> None:
        if not records.dims:
            raise StreamError(f"{self.file.path}: no dimension of it grows, so it has no steps; open it with xarray")
        for dim, given in self.position.given.items():
            if records.raw.sizes.get(dim, 0) < given:
                raise StreamError(
                    f"{self.file.path}: {given} records along {dim} were read, but now there are fewer: "
                    "another run has replaced it"
                )
        if not self.is_checked:
            self.selection.of(records.raw.isel({dim: slice(0, 0) for dim in records.dims}), str(self.file.path))
        self.is_checked = True

    def _is_over(self) -> bool:
        """No job continues the file or makes another one."""
        if self.source.goes_on and self.job.directory() is None and self.job.is_one_nearby():
            return time.monotonic() - self.moved > REPORT_PATIENCE
        return self.job.outcome() is not None or not self.job.is_running()

    def _check_end(self) -> None:
        """Raises JobEnded where the job did not come to its end."""
        outcome = self.job.outcome()
        if outcome == "complete" or self.job.directory() is None:
            return
        outcome = outcome or "it was killed: there is no report of its end"
        raise JobEnded(
            f"{self.file.path}: its job ended early: {outcome}. All whole records were given ({self.position.last()})",
            outcome,
        )

    def _complain_after(self, moved: float) -> None:
        if self.timeout is None or time.monotonic() - moved < self.timeout:
            return
        if self.file is None or self.file.stamp() is None:
            raise StreamTimeout(f"{self.source}: waited {self.timeout:g} s for {self.source.first_words} to be created")
        raise StreamTimeout(
            f"{self.file.path}: waited {self.timeout:g} s for a record behind {self.position.last()}; "
            f"{'a job writes it' if self.file.is_written() else 'nobody writes it'} ({self.job.words()})"
        )
