"""A BP dataset, or a stream over SST: when it is there, when its next step is, and whether one may still come."""

import time
from pathlib import Path

from .errors import JobEnded, StreamError, StreamTimeout
from .job import Job, is_marked

LOOK_EVERY = 1.0  # seconds that a wait for a step of a stream lasts
ASK_EVERY = 0.05  # seconds between two looks at a file
REPORT_PATIENCE = 10.0  # seconds from the end of a stream to the job's report
HEAD_PATIENCE = 10.0  # seconds that a file which nobody writes may lack its head, which comes when it is opened
RENEWAL_PATIENCE = 60.0  # seconds from the break of a stream to its new contact file, without a `timeout`
HEAD_BYTES, VERSION_AT = 64, 37  # of md.idx
ENGINES = {4: "BP4", 5: "BP5"}  # by the version there


class AdiosSource:
    """The common part of datasets and streams."""

    wait_for = 0.0  # seconds that ADIOS2 waits for a step, in which no other thread of Python gets a turn
    rest = 0.0  # seconds between two such waits
    may_begin_anywhere = True

    def __init__(self, path: Path, timeout: float | None, job: Job):
        try:
            from .._adios2 import adios2
        except ImportError as error:
            raise StreamError(f"{path}: BP and SST need adios2: pip install 'tailrace[adios2]' ({error})") from None
        self.adios2 = adios2
        self.status = adios2.bindings.StepStatus
        self.path = path
        self.timeout = timeout
        self.job = job
        self.last = -1  # the number of the last step that was read
        self.has_marks = False  # whether its writer is known for one that marks the index while it has it open

    def begin(self, opened, seconds: float | None = None):
        """OK, EndOfStream, OtherError, or, where `seconds` are given, NotReady after them. Without, it waits for the
        next step."""
        begin = time.monotonic()
        while True:
            status = opened.begin_step(timeout=self.wait_for if seconds is None else seconds)
            if status != self.status.NotReady or seconds is not None:
                return status
            if self._is_over():
                status = opened.begin_step(timeout=0.0)  # once more: what it wrote before its end
                return self.status.EndOfStream if status == self.status.NotReady else status
            if self.timeout is not None and time.monotonic() - begin > self.timeout:
                raise StreamTimeout(
                    f"{self.path}: waited {self.timeout:g} s for a step behind step {self.last} ({self.job.words()})"
                )
            time.sleep(self.rest)

    def _is_over(self) -> bool:
        """No job continues it, although its end is not marked in it."""
        return False

    def check_end(self) -> None:
        """Raises JobEnded where the job, as far as it can be found, did not come to its end."""
        end = time.monotonic() + REPORT_PATIENCE
        while (outcome := self.job.outcome()) is None and self.job.is_running() and time.monotonic() < end:
            time.sleep(0.1)
        if self.job.directory() is None or outcome == "complete":
            return
        outcome = outcome or "it was killed: there is no report of its end"
        raise JobEnded(f"{self.path}: its job ended early: {outcome}. All whole steps were given", outcome)

    def _await_creation(self, appears: Path) -> None:
        begin = time.monotonic()
        while not appears.exists():
            self._complain_of_creation(begin)
            time.sleep(ASK_EVERY)

    def _complain_of_creation(self, begin: float) -> None:
        if self.timeout is not None and time.monotonic() - begin > self.timeout:
            raise StreamTimeout(f"{self.path}: waited {self.timeout:g} s for it to be created")

    def _opened(self, engine: str, name: Path):
        io = self.adios2.Adios().declare_io("tailrace")
        io.set_engine(engine)
        patience = self.timeout if self.timeout is not None else 60.0
        io.set_parameters({"OpenTimeoutSecs": f"{max(1.0, patience):.0f}"})
        return self.adios2.Stream(io, str(name), "r")


class BpDataset(AdiosSource):
    """A folder of BP4 or BP5."""

    rest = ASK_EVERY

    def __init__(self, path: Path, timeout: float | None, job: Job):
        super().__init__(path, timeout, job)
        self.index = path / "md.idx"

    def open(self):
        self._await_creation(self.index)
        version = self._version()
        if version not in ENGINES:
            raise StreamError(
                f"{self.path}: it is of version {version} of BP; expected {' or '.join(ENGINES.values())}"
            )
        try:
            return self._opened(ENGINES[version], self.path)
        except (RuntimeError, ValueError) as error:
            raise StreamError(f"{self.path}: cannot be opened: {error}") from None

    def _version(self) -> int:
        """When the index has its head."""
        begin = written = time.monotonic()
        while len(head := self._head()) < HEAD_BYTES:
            if is_marked(self.index):
                written = time.monotonic()
            elif time.monotonic() - written > HEAD_PATIENCE:
                raise StreamError(f"{self.path}: cannot be read: its index has no head, and nobody writes it")
            self._complain_of_creation(begin)
            time.sleep(ASK_EVERY)
        return head[VERSION_AT]

    def _head(self) -> bytes:
        try:
            with self.index.open("rb") as file:
                return file.read(HEAD_BYTES)
        except FileNotFoundError:
            return b""  # another run is about to replace it

    def _is_over(self) -> bool:
        if is_marked(self.index):
            self.has_marks = True
            return False
        if self.job.directory() is None:
            return self.has_marks
        return self.job.outcome() is not None or not self.job.is_running()

    def await_renewal(self) -> None:
        raise StreamError(f"{self.path}: the stream broke off after step {self.last}")


class SstStream(AdiosSource):
    """`path`: of the contact file, by which ADIOS2 finds the stream of the name without the ending."""

    wait_for = LOOK_EVERY
    may_begin_anywhere = False

    def __init__(self, path: Path, timeout: float | None, job: Job):
        super().__init__(path, timeout, job)
        self.contact: tuple[int, int] | None = None  # of the stream that is read

    def open(self):
        self._await_creation(self.path)
        self.contact = self._contact()
        try:
            return self._opened("SST", self.path.with_suffix(""))
        except (RuntimeError, ValueError) as error:
            if self._was_renewed():
                return self.open()
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

    def await_renewal(self) -> None:
        """Returns when there is a new contact file. Raises JobEnded or StreamError where none will come."""
        patience = RENEWAL_PATIENCE if self.timeout is None else self.timeout
        end = time.monotonic() + patience
        while self._contact() in (None, self.contact):
            if self.job.directory() is not None and not self.job.is_running():
                self.check_end()
                break
            if time.monotonic() > end:
                break
            time.sleep(0.05)
        else:
            return
        raise StreamError(
            f"{self.path}: the stream broke off after step {self.last}, and was not begun anew within "
            f"{patience:g} s ({self.job.words()})"
        )
