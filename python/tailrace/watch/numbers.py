"""The numbers of a run, from what it leaves in its report directory: for the page, the terminal and Prometheus.

Status files of servers and the report are read by `tailrace.status` and `tailrace.report`. This module derives what
they do not say: how far the run gets in a day, when it will end, how busy the servers are now, and what is wrong.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tailrace import status
from tailrace._json import finite
from tailrace._text import bytes_text, percent_text, plural, seconds_text
from tailrace.report.facts import BUSY_PHASES, ReportError, findings, headline, load
from tailrace.streams.job import REPORT_DIRECTORY, is_marked

from .commits import Commit, CommitLog

SECONDS_A_DAY = 86400.0
SILENT = 30.0  # seconds without a new status after which a run that was not closed is called silent
FULL = 0.9  # of a buffer or of the memory: worth a warning
HISTORY = 600  # points of the curves
UNITS = {"": 1.0, "s": 1.0, "min": 60.0, "h": 3600.0, "hour": 3600.0, "hours": 3600.0}
UNITS |= {"d": SECONDS_A_DAY, "day": SECONDS_A_DAY, "days": SECONDS_A_DAY}


class NoRun(Exception):
    """There is nothing to watch; the text is complete."""

    code = "usage"


def report_directory(place: Path) -> Path:
    """The report directory that `place` is, or has. Raises NoRun."""
    for directory in (place, place / REPORT_DIRECTORY):
        if (directory / ".session").exists() or status.status_files(directory):
            return directory
    raise NoRun(
        f"{place}: no run has reported here; expected a report directory (`servers: report_directory:`), or a "
        f"directory with a {REPORT_DIRECTORY}"
    )


def model_seconds(text: str) -> float:
    """A length of model time: "86400", "1 day", "30 days", "6 h". Raises ValueError."""
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)\s*([a-z]*)\s*", text)
    seconds = float(found[1]) * UNITS.get(found[2], math.nan) if found else math.nan
    if not (math.isfinite(seconds) and seconds > 0):
        raise ValueError(f"{text!r} is no length of time; expected seconds, or a number with s, min, h or days")
    return seconds


@dataclass(frozen=True)
class ComponentNumbers:
    name: str
    step: int
    time: float  # model seconds
    steps_per_second: float | None
    simulated_per_day: float | None  # model seconds in a day of wall clock
    seconds_to_end: float | None  # of wall clock


@dataclass(frozen=True)
class FileNumbers:
    path: str
    commits: int
    safe_time: float | None  # model seconds up to which all records are on disk; None: nothing yet
    committed: str | None  # the wall time of the latest commit


@dataclass(frozen=True)
class ServerNumbers:
    number: int
    host: str
    load: float  # threads that were busy on average since the last look; at the first one since the start
    lag_seconds: float
    buffer_used: float  # 0 to 1
    pending_bytes: int
    memory_bytes: int | None
    memory_bounds_all: bool
    resident_bytes: int | None
    warnings: int


@dataclass(frozen=True)
class Numbers:
    directory: str
    state: str  # running, complete, silent, or what went wrong
    wall_time: str  # of the newest status
    age_seconds: float  # since then
    seconds: float  # since the start of the servers
    components: tuple[ComponentNumbers, ...]
    files: tuple[FileNumbers, ...]
    servers: tuple[ServerNumbers, ...]
    bytes_out: int
    bytes_out_per_second: float
    lag_seconds: float
    buffer_used: float
    checkpoints: tuple[status.CheckpointProgress, ...]
    input: status.InputProgress | None
    faults: tuple[str, ...]
    warnings: tuple[str, ...]
    until: float | None  # model seconds
    headline: tuple[tuple[str, str, str], ...] = ()  # of the report, once there is one

    def page(self) -> dict[str, Any]:
        """For JSON, which has no infinities."""
        return finite(asdict(self))

    @property
    def has_ended(self) -> bool:
        return self.state not in ("running", "silent")


@dataclass
class Run:
    """A run that is looked at again and again. Not safe from several threads."""

    directory: Path  # the report directory
    until: float | None = None  # the model time at which it will end, which only the model knows
    clock: Callable[[], float] = time.time
    log: CommitLog = field(init=False)
    history: deque[tuple[float, ...]] = field(init=False)  # seconds, steps/s, lag, buffer, memory share, load
    snapshot: status.Snapshot | None = field(init=False, default=None)
    _busy: dict[int, tuple[float, float]] = field(init=False, default_factory=dict)
    _loads: dict[int, float] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.log = CommitLog(self.directory)
        self.history = deque(maxlen=HISTORY)

    def look(self) -> Numbers | None:
        """None until some server has written."""
        snapshot = status.read(self.directory)
        if snapshot is None:
            return None
        if self.snapshot and snapshot.each_server[0].seconds < self.snapshot.each_server[0].seconds:
            self.history.clear()  # another run
            self._busy.clear()
            self._loads.clear()
        self.snapshot = snapshot
        servers = tuple(self._server(one) for one in snapshot.each_server)
        state, age = self._state(snapshot)
        newest = max(snapshot.each_server, key=lambda one: one.seconds)
        numbers = Numbers(
            directory=str(self.directory),
            state=state,
            wall_time=newest.wall_time,
            age_seconds=age,
            seconds=newest.seconds,
            components=tuple(self._component(one, state) for one in snapshot.components),
            files=self._files(snapshot),
            servers=servers,
            bytes_out=snapshot.bytes_out,
            bytes_out_per_second=snapshot.bytes_out_per_second,
            lag_seconds=snapshot.lag_seconds,
            buffer_used=snapshot.buffer_used,
            checkpoints=snapshot.checkpoints,
            input=snapshot.input,
            until=self.until,
            **self._told(state, age, snapshot, servers),
        )
        self._remember(numbers)
        return numbers

    def _component(self, one: status.Component, state: str) -> ComponentNumbers:
        pace = one.model_seconds_per_second
        left = None
        if state == "running" and self.until is not None and pace:
            left = max(0.0, self.until - one.time) / pace
        return ComponentNumbers(
            one.name, one.step, one.time, one.steps_per_second, None if pace is None else pace * SECONDS_A_DAY, left
        )

    def _server(self, one: status.Server) -> ServerNumbers:
        busy = sum(one.phases.get(phase, 0.0) for phase in BUSY_PHASES)
        before = self._busy.get(one.number)
        if before is None:
            self._loads[one.number] = busy / one.seconds if one.seconds > 0 else 0.0
        elif one.seconds > before[1]:
            self._loads[one.number] = max(0.0, busy - before[0]) / (one.seconds - before[1])
        self._busy[one.number] = (busy, one.seconds)
        return ServerNumbers(
            number=one.number,
            host=one.host,
            load=self._loads[one.number],
            lag_seconds=one.lag_seconds,
            buffer_used=one.buffer_used,
            pending_bytes=one.pending_bytes,
            memory_bytes=one.memory_bytes,
            memory_bounds_all=one.memory_bounds_all,
            resident_bytes=one.resident_bytes,
            warnings=one.warnings,
        )

    def _files(self, snapshot: status.Snapshot) -> tuple[FileNumbers, ...]:
        """Those of the log of commits, which names each file of a series, and those without a commit yet."""
        commits: dict[str, Commit] = self.log.look()
        found = [FileNumbers(one.path, one.commits, one.model_time, one.wall_time) for one in commits.values()]
        for file in snapshot.files:
            if file.path not in commits and not file.commits:
                found.append(FileNumbers(file.path, 0, None, None))
        return tuple(sorted(found, key=lambda file: file.path))

    def _state(self, snapshot: status.Snapshot) -> tuple[str, float]:
        """And for how many seconds there was no new status."""
        changed = max(status.status_files(self.directory).values(), default=0)
        age = max(0.0, self.clock() - 1e-9 * changed)
        if snapshot.state == "running" and age > SILENT and not is_marked(self.directory / ".session"):
            return "silent", age
        return snapshot.state, age

    def _told(
        self, state: str, age: float, snapshot: status.Snapshot, servers: tuple[ServerNumbers, ...]
    ) -> dict[str, Any]:
        faults, warnings = [], []
        if state == "silent":
            faults.append(
                f"No server has written its status for {seconds_text(age)}, and none is known to run: the job was "
                "killed, or runs on other nodes and hangs. What commits.jsonl lists is in the files."
            )
        elif state not in ("running", "complete"):
            (warnings if state.startswith("ended by SIG") else faults).append(f"The run ended: {state}")
        if state == "running":
            warnings += self._pressure(servers)
        for one in snapshot.each_server:
            more = one.warnings - len(one.last_warnings)
            warnings += [f"Server {one.number}: {text}" for text in one.last_warnings]
            if more > 0:
                warnings.append(f"Server {one.number} has logged {plural(more, 'earlier warning')}: see the job's log.")
        warnings += self._actions()
        report = self._report() if state not in ("running", "silent") else None
        if report is None:
            return dict(faults=tuple(faults), warnings=tuple(warnings))
        try:
            given_up = [
                f"{one['path']} was given up: {one['skipped']}" for one in report["files"] if one.get("skipped")
            ]
            found = [text for text in findings(report) if not text.startswith("The run ")]  # its outcome is above
            top = tuple(headline(report))
        except (KeyError, TypeError, AttributeError, ValueError) as error:  # all other numbers are of the status
            given_up, top = [], ()
            reason = f"{type(error).__name__}: {error}"
            found = [f"{self.directory / 'report.json'} is damaged, or of another Tailrace, and left out ({reason})."]
        return dict(faults=(*faults, *given_up), warnings=(*warnings, *found), headline=top)

    @staticmethod
    def _pressure(servers: tuple[ServerNumbers, ...]) -> list[str]:
        told = []
        for one in servers:
            if one.buffer_used > FULL:
                told.append(
                    f"Server {one.number}: a rank's buffer is {percent_text(one.buffer_used)} full, so the model will "
                    "wait. Raise `servers: buffer:`, use more servers, or write less often."
                )
            share = memory_share(one)
            if share is not None and share > FULL:
                told.append(
                    f"Server {one.number} holds {bytes_text(one.pending_bytes)}, {percent_text(share)} of its memory, "
                    "so it takes less in. Raise `servers: memory:`, use more servers, or write more often."
                )
        return told

    def _actions(self) -> list[str]:
        told = []
        for path in sorted(self.directory.glob("in_situ.*.json")):
            with contextlib.suppress(OSError, ValueError, KeyError, AttributeError, TypeError):  # being replaced
                action = json.loads(path.read_text(encoding="utf-8"))
                failed = sum(action["failed"].values())
                if action["outcome"].startswith("given up"):
                    told.append(f"Action {action['name']}: {action['outcome']}")
                elif failed:
                    told.append(f"Action {action['name']}: {plural(failed, 'step')} failed ({action['last_error']})")
        return told

    def _report(self) -> dict[str, Any] | None:
        """None while there is none: server 0 writes it some moments after its last status."""
        try:
            return load(self.directory)
        except ReportError:
            return None

    def _remember(self, numbers: Numbers) -> None:
        if self.history and self.history[-1][0] == numbers.seconds:
            return
        steps = [one.steps_per_second for one in numbers.components if one.steps_per_second is not None]
        shares = [share for one in numbers.servers if (share := memory_share(one)) is not None]
        self.history.append(
            (
                numbers.seconds,
                min(steps, default=0.0),
                numbers.lag_seconds,
                numbers.buffer_used,
                max(shares, default=0.0),
                max((one.load for one in numbers.servers), default=0.0),
            )
        )


def memory_share(server: ServerNumbers) -> float | None:
    """The data that it holds, as a share of its bound. None where the bound is not known: without the option `memory`,
    what the plan must hold comes on top of the default."""
    if not server.memory_bytes or not server.memory_bounds_all:
        return None
    return server.pending_bytes / server.memory_bytes
