"""The steps of an ADIOS2 BP file, as it grows, and of a running job over SST."""

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import xarray as xr

from .errors import JobEnded, StreamError, StreamTimeout
from .job import Job
from .records import NewRecords, Position
from .selection import Selection
from .snapshots import growing_dims

LOOK_EVERY = 1.0  # seconds that a wait for a step lasts before the job is looked at
REPORT_PATIENCE = 10.0  # seconds from the end of a stream to the job's report
DIMS_ATTRIBUTE = "__xarray_dimensions__"
UNLIMITED_ATTRIBUTE = "__unlimited_dimensions__"
TYPES = {"float": "f4", "double": "f8", "char": "S1", "string": "O"}  # others bear NumPy's names: int32_t


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
        self._check_end()

    def _opened(self):
        """When the writer has made the file, or the contact file of its stream."""
        appears = self.path / "md.idx" if self.engine == "bp" else self.path
        begin = time.monotonic()
        while not appears.exists():
            if self.timeout is not None and time.monotonic() - begin > self.timeout:
                raise StreamTimeout(f"{self.path}: waited {self.timeout:g} s for it to be created")
            time.sleep(0.05)
        io = self.adios2.Adios().declare_io("tailrace")
        io.set_engine("BP5" if self.engine == "bp" else "SST")
        name = str(self.path if self.engine == "bp" else self.path.with_suffix(""))
        patience = self.timeout if self.timeout is not None else 60.0
        io.set_parameters({"OpenTimeoutSecs": f"{max(1.0, patience):.0f}"})
        try:
            return self.adios2.Stream(io, name, "r")
        except (RuntimeError, ValueError) as error:
            raise StreamError(f"{self.path}: cannot be opened: {error}") from None

    def _begin(self, opened, seconds: float | None):
        """OK, EndOfStream, or, where `seconds` are given, NotReady after them. Without, it waits for the next step."""
        begin = time.monotonic()
        while True:
            status = opened.begin_step(timeout=LOOK_EVERY if seconds is None else seconds)
            if status == self.status.OtherError:
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

    def _read(self, opened) -> Iterator[xr.Dataset]:
        number = opened.current_step()
        if self.given and self.engine == "sst":
            self.missed += number - self.expected
        self.given += 1
        self.expected = number + 1
        raw, unread = self._described(opened)
        dims = growing_dims(raw, _words(raw.attrs.pop(UNLIMITED_ATTRIBUTE, "")))
        wanted = set(self.selection._with_fields(raw, str(self.path)).variables)
        for dim in dims:
            if dim in raw.variables:
                wanted |= {dim, str(raw[dim].attrs.get("bounds", dim))}
        for name in unread:
            if name in wanted or not set(raw[name].dims) & set(dims):
                raw[name] = (raw[name].dims, self._values(opened, name, raw[name].shape), raw[name].attrs)
        raw = raw.drop_vars([name for name in unread if name not in wanted and set(raw[name].dims) & set(dims)])
        self.fixed |= {str(name): raw.variables[name] for name in raw.variables if not set(raw[name].dims) & set(dims)}
        records = NewRecords(raw, dims)
        for step in records.steps(Position()):
            if records.has_any(step, self.selection):
                read = records.read(step, self.selection, str(self.path))
                read.encoding |= {"step": number, "missed": self.missed}
                yield read

    def _described(self, opened) -> tuple[xr.Dataset, list[str]]:
        """The variables of this step with their shapes and attributes, and those that were fixed before; and the names
        of those whose values are yet to be read."""
        self.attributes |= {name: opened.read_attribute(name) for name in opened.available_attributes()}
        attributes = self.attributes  # SST brings each once
        variables: dict[str, xr.Variable] = dict(self.fixed)
        unread = []
        for name, told in opened.available_variables().items():
            own = {key[len(name) + 1 :]: value for key, value in attributes.items() if key.startswith(f"{name}/")}
            if name in self.fixed:
                continue
            dims = _words(own.pop(DIMS_ATTRIBUTE, ""))
            shape = tuple(int(extent) for extent in told["Shape"].split(",") if extent.strip())
            if len(dims) != len(shape):
                if shape:
                    raise StreamError(
                        f"{self.path}: no {name}/{DIMS_ATTRIBUTE} that names {len(shape)} dimensions: not of Tailrace"
                    )
                dims = []
            kind = TYPES.get(told["Type"], told["Type"].removesuffix("_t"))
            variables[name] = xr.Variable(dims, np.broadcast_to(np.zeros((), dtype=kind), shape), _plain(own))
            unread.append(name)
        own = {key: value for key, value in attributes.items() if "/" not in key}
        return xr.Dataset(variables, attrs=_plain(own)), unread

    def _values(self, opened, name: str, shape: tuple[int, ...]) -> np.ndarray:
        values = opened.read(name)
        array = np.asarray(values)
        if opened.available_variables()[name]["Type"] == "char":
            array = array.astype("i1").view("S1")
        return array.reshape(shape)

    def _check_end(self) -> None:
        """Raises JobEnded where the job, as far as it can be found, did not come to its end."""
        end = time.monotonic() + REPORT_PATIENCE
        while (outcome := self.job.outcome()) is None and self.job.is_running() and time.monotonic() < end:
            time.sleep(0.1)
        if self.job.directory() is None or outcome == "complete":
            return
        outcome = outcome or "it was killed: there is no report of its end"
        raise JobEnded(f"{self.path}: its job ended early: {outcome}. All whole steps were given", outcome)


def _words(value) -> list[str]:
    """A list of texts, or one with words: SST's own form of messages loses lists of texts."""
    return value.split() if isinstance(value, str) else [str(word) for word in np.atleast_1d(value)]


def _plain(attributes: dict) -> dict:
    """Attributes as other readers have them: one value is no array."""
    plain = {}
    for name, value in attributes.items():
        array = np.asarray(value)
        plain[name] = value if isinstance(value, str) else array.reshape(-1)[0] if array.size == 1 else value
    return plain
