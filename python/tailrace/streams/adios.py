"""The steps of an ADIOS2 BP file, as it grows, and of a running job over SST."""

import time
from collections.abc import Iterator
from pathlib import Path

import xarray as xr

from .adios_step import described, names_in, plain, words_in
from .errors import JobEnded, StreamError, StreamTimeout
from .job import Job
from .records import NewRecords, Position
from .selection import Selection, hint
from .snapshots import growing_dims

LOOK_EVERY = 1.0  # seconds that a wait for a step lasts before the job is looked at
ASK_EVERY = 0.05  # seconds between two looks at a file
REPORT_PATIENCE = 10.0  # seconds from the end of a stream to the job's report
RENEWAL_PATIENCE = 60.0  # seconds from the break of a stream to its new contact file, without a `timeout`
UNLIMITED_ATTRIBUTE = "__unlimited_dimensions__"
NUMBER_VARIABLE = "tailrace_step"  # in a stream of Tailrace: of the step, among all steps of the run


class AdiosSteps:
    """One ADIOS step is one commit of the job: the records that came with it. What does not grow comes once."""

    def __init__(self, path: Path, engine: str, selection: Selection, every: int, timeout: float | None, job: Job):
        try:
            from .._adios2 import adios2
        except ImportError as error:
            raise StreamError(f"{path}: BP and SST need adios2: pip install 'tailrace[adios2]' ({error})") from None
        self.adios2 = adios2
        self.status = adios2.bindings.StepStatus
        self.path = path
        self.engine = engine
        self.selection = selection
        self.every = every
        self.timeout = timeout
        self.job = job
        self.fixed: dict[str, xr.Variable] = {}
        self.attributes: dict[str, object] = {}
        self.given = 0  # ADIOS steps read
        self.expected = 0  # the number of the next one
        self.missed = 0
        self.contact: tuple[int, int] | None = None  # of the stream that is read
        self.broke_off = False

    def steps(self, start: str | int) -> Iterator[xr.Dataset]:
        if self.engine == "sst" and not isinstance(start, str):
            raise StreamError(
                f"{self.path}: a running job's stream begins where the job is; expected start='first' or 'last'"
            )
        return self._thinned(self._from(start))

    def _thinned(self, steps: Iterator[xr.Dataset]) -> Iterator[xr.Dataset]:
        for number, step in enumerate(steps):
            if number % self.every == 0:
                yield step

    def _from(self, start: str | int) -> Iterator[xr.Dataset]:
        yield from self._of_one_opening(start)
        while self.broke_off:  # the job begins its stream anew, where it is
            self._await_renewal()
            yield from self._of_one_opening("first")
        self._check_end()

    def _of_one_opening(self, start: str | int) -> Iterator[xr.Dataset]:
        left_out = start if isinstance(start, int) else 0
        newest: list[xr.Dataset] = []
        is_catching_up = start == "last"
        with self._opened() as opened:
            while True:
                status = self._begin(opened, 0.0 if newest else None)
                if status != self.status.OK:
                    yield from newest[-1:]
                    newest, is_catching_up = [], False
                    if status == self.status.NotReady:
                        continue
                    break
                found = list(self._read(opened))
                opened.end_step()
                if is_catching_up:
                    newest = found or newest
                    continue
                for step in found:
                    if left_out > 0:
                        left_out -= 1
                    else:
                        yield step
        self.broke_off = status == self.status.OtherError

    def _opened(self):
        """When the writer has made the file, or the contact file of its stream."""
        appears = self.path / "md.idx" if self.engine == "bp" else self.path
        begin = time.monotonic()
        while not appears.exists():
            if self.timeout is not None and time.monotonic() - begin > self.timeout:
                raise StreamTimeout(f"{self.path}: waited {self.timeout:g} s for it to be created")
            time.sleep(0.05)
        self.contact = self._contact()
        io = self.adios2.Adios().declare_io("tailrace")
        io.set_engine("BP5" if self.engine == "bp" else "SST")
        name = str(self.path if self.engine == "bp" else self.path.with_suffix(""))
        patience = self.timeout if self.timeout is not None else 60.0
        io.set_parameters({"OpenTimeoutSecs": f"{max(1.0, patience):.0f}"})
        try:
            return self.adios2.Stream(io, name, "r")
        except (RuntimeError, ValueError) as error:
            if self.engine == "sst" and self._was_renewed():
                return self._opened()
            raise StreamError(f"{self.path}: cannot be opened: {error}") from None

    def _contact(self) -> tuple[int, int] | None:
        """Another one with each beginning of a stream."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns

    def _was_renewed(self) -> bool:
        """Whether the contact file was that of a stream that had just ended."""
        end = time.monotonic() + LOOK_EVERY
        while self._contact() == self.contact and time.monotonic() < end:
            time.sleep(0.05)
        return self._contact() != self.contact

    def _await_renewal(self) -> None:
        """Returns when there is a new contact file. Raises JobEnded or StreamError where none will come."""
        patience = RENEWAL_PATIENCE if self.timeout is None else self.timeout
        end = time.monotonic() + patience
        while self._contact() in (None, self.contact):
            if self.job.directory() is not None and not self.job.is_running():
                self._check_end()
                break
            if time.monotonic() > end:
                break
            time.sleep(0.05)
        else:
            return
        raise StreamError(
            f"{self.path}: the stream broke off after step {self.expected - 1}, and was not begun anew within "
            f"{patience:g} s ({self.job.words()})"
        )

    def _begin(self, opened, seconds: float | None):
        """OK, EndOfStream, or, where `seconds` are given, NotReady after them. Without, it waits for the next step."""
        begin = time.monotonic()
        # No other thread of Python gets a turn while the library waits; a file can be asked now and then.
        patience = 0.0 if self.engine == "bp" else LOOK_EVERY
        while True:
            status = opened.begin_step(timeout=patience if seconds is None else seconds)
            if status == self.status.OtherError and self.engine != "sst":
                raise StreamError(f"{self.path}: the stream broke off after step {self.expected - 1}")
            if status != self.status.NotReady or seconds is not None:
                return status
            if self.engine == "bp" and self.job.directory() is not None and not self.job.is_running():
                status = opened.begin_step(timeout=0.0)  # once more: what it wrote before its end
                return self.status.EndOfStream if status == self.status.NotReady else status
            if self.timeout is not None and time.monotonic() - begin > self.timeout:
                raise StreamTimeout(
                    f"{self.path}: waited {self.timeout:g} s for a step behind step {self.expected - 1} "
                    f"({self.job.words()})"
                )
            if self.engine == "bp":
                time.sleep(ASK_EVERY)

    def _read(self, opened) -> Iterator[xr.Dataset]:
        own_number = opened.inquire_variable(NUMBER_VARIABLE) if self.engine == "sst" else None
        number = int(opened.read(NUMBER_VARIABLE)) if own_number else opened.current_step()
        if self.given and self.engine == "sst":
            if number < self.expected:
                return  # given before the stream was begun anew
            self.missed += number - self.expected
        self.given += 1
        self.expected = number + 1
        for name in opened.available_attributes():
            if name not in self.attributes:  # SST brings each once, or with every step
                self.attributes[name] = opened.read_attribute(name)
        own = {key: value for key, value in self.attributes.items() if "/" not in key}
        named = words_in(own.pop(UNLIMITED_ATTRIBUTE, ""))
        known = {NUMBER_VARIABLE} | self.fixed.keys()
        variables = self.fixed | described(opened, self.attributes, known, str(self.path))
        raw = xr.Dataset(variables, attrs=plain(own))
        dims = growing_dims(raw, named)
        self.fixed = {str(name): one.load() for name, one in raw.variables.items() if not set(one.dims) & set(dims)}
        selection = self._selected(raw)
        records = NewRecords(raw, dims)
        for step in records.steps(Position()):
            if records.has_any(step, selection):
                read = records.read(step, selection, str(self.path))
                read.encoding |= {"step": number, "missed": self.missed}
                yield read

    def _selected(self, raw: xr.Dataset) -> Selection:
        """What is asked for of this step: it need not have all fields that there are."""
        if self.selection.fields is None:
            return self.selection
        known = names_in(self.attributes) | {str(name) for name in raw.variables}
        for name in self.selection.fields:
            if name not in known:
                raise StreamError(f"{self.path}: there is no field {name!r}.{hint(name, sorted(known))}")
        return Selection([name for name in self.selection.fields if name in raw.variables], self.selection.region)

    def _check_end(self) -> None:
        """Raises JobEnded where the job, as far as it can be found, did not come to its end."""
        end = time.monotonic() + REPORT_PATIENCE
        while (outcome := self.job.outcome()) is None and self.job.is_running() and time.monotonic() < end:
            time.sleep(0.1)
        if self.job.directory() is None or outcome == "complete":
            return
        outcome = outcome or "it was killed: there is no report of its end"
        raise JobEnded(f"{self.path}: its job ended early: {outcome}. All whole steps were given", outcome)
