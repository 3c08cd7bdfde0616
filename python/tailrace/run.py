"""Starts a model with its servers under MPI, shows its progress, and reports at the end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import IO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from tailrace import _core, launch, status
from tailrace.launch import LaunchError
from tailrace.report import ReportError, show

__all__ = ["LaunchError", "report_directory_of", "run"]

PLAIN_LINE_EVERY = 5.0  # seconds, where there is no terminal
LOOK_EVERY = 0.25
RECEIVED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")


def run(
    configuration: Path | str,
    program: Sequence[str],
    *,
    ranks: int,
    servers: int | None = None,
    mpirun: str | None = None,
    report: bool = True,
) -> int:
    """Runs `program` (with its arguments) on `ranks` MPI ranks; returns its exit status.

    With `servers`, as many ranks of `tailrace serve` are added; without, the configuration says which of the ranks
    serve. `mpirun`: the launcher with options, as in a shell; found in the PATH if not given. A job that a signal ended
    has status 128 + signal, as in a shell. SIGTERM, SIGINT and SIGHUP order the job to stop (see `Stopping`), other
    signals are passed on. Raises LaunchError, and tailrace.Error where the configuration does not hold, before anything
    is started.
    """
    if ranks < 1 or (servers or 0) < 0:
        raise LaunchError(f"a job needs at least one model rank and no negative number of servers: {ranks}, {servers}")
    configuration = Path(configuration)
    launcher = launch.detect(mpirun)
    stopping = Stopping(launch.stop_signal(launcher), _core.seconds_of_grace(configuration))
    environment = launch.handed_on(os.environ) | stopping.environment()
    job = launch.Job(
        ranks=ranks,
        program=_program(program),
        servers=servers or 0,
        server_program=launch.server_command(str(configuration)),
        environment=environment,
    )
    command = launch.command_line(launcher, job, launch.this_machine())
    directory = report_directory_of(configuration)
    if directory is None:
        return _supervise(command, environment, stopping, None)
    before = _changed(directory / "report.json")
    code = _supervise(command, environment, stopping, directory)
    if report and _changed(directory / "report.json") != before:
        # A report that cannot be shown must not turn a good run into a failed one.
        try:
            show(directory, html=True)
        except (ReportError, OSError) as error:
            print(f"tailrace: no report: {error}", file=sys.stderr)
    return code


def _program(program: Sequence[str]) -> tuple[str, ...]:
    if not program:
        raise LaunchError("no program was given: tailrace run -n RANKS CONFIG -- PROGRAM ARGS...")
    first, *rest = program
    if os.sep not in first and not Path(first).exists():
        return (first, *rest)  # for the PATH
    if not Path(first).is_file():
        raise LaunchError(f"there is not a program {first}")
    return (str(Path(first).absolute()), *rest)


def report_directory_of(configuration: Path) -> Path | None:
    """Where the servers will report, if they are to. Raises tailrace.Error with all mistakes of the configuration."""
    directory = _core.report_directory(configuration)
    return Path(directory) if directory else None


def _changed(path: Path) -> int | None:
    with contextlib.suppress(OSError):
        return path.stat().st_mtime_ns
    return None


class Stopping:
    """Stops the job when this process gets SIGTERM, SIGINT or SIGHUP.

    Most launchers kill their ranks soon after such a signal, and Open MPI's without passing it on in time. So the first
    one becomes the order to stop: `number`, a signal that the launcher passes on to all ranks and leaves at that. The
    launcher gets the signal itself when the job still runs after `grace` seconds, or with the second signal, and
    SIGKILL some seconds later. Without `grace` the servers take no signal, and the launcher gets each at once.
    """

    TOGETHER = 1.0  # seconds in which signals count once: Slurm signals this process, and a batch script may, too
    FOR_THE_LAST = 1.0  # seconds on top of the grace, for the end of the processes
    FOR_THE_LAUNCHER = 5.0  # seconds from its signal to SIGKILL

    def __init__(self, number: signal.Signals, grace: float) -> None:
        self.number, self.grace = number, grace
        self.child: subprocess.Popen[str] | None = None
        self.received: list[int] = []
        self.first_at = 0.0  # monotonic seconds
        self.next_at: float | None = None  # monotonic seconds at which the next means is due
        self.passed_on = False

    def environment(self) -> dict[str, str]:
        """For the ranks, which take the signal as the order to stop."""
        return {"TAILRACE_STOP_SIGNAL": self.number.name} if self.grace > 0 else {}

    def receive(self, number: int, frame: FrameType | None = None) -> None:
        """The handler of all signals."""
        del frame
        if number in (signal.SIGUSR1, signal.SIGUSR2):
            return self._send(number)
        now = time.monotonic()
        if self.grace > 0 and self.received and now < self.first_at + self.TOGETHER:
            return
        self.received.append(number)
        if self.grace > 0 and len(self.received) == 1:
            self.first_at = now
            said = (
                f"tailrace: {signal.Signals(number).name}: the job is ordered to stop ({self.number.name}) and has "
                f"{self.grace:g} s to end (servers.grace); another signal ends it at once\n"
            )
            with contextlib.suppress(OSError):  # the terminal may be gone
                os.write(2, said.encode())  # not print: this may interrupt one
            self._send(self.number)
            self.next_at = now + self.grace + self.FOR_THE_LAST
        else:
            self._pass_on()

    def begin(self, child: subprocess.Popen[str]) -> None:
        """The job has been started; a signal may have come before."""
        self.child = child
        if self.received:
            self._pass_on()

    def status(self, code: int) -> int:
        """The exit status for that of the launcher, as in a shell."""
        code = code if code >= 0 else 128 - code
        by_order = bool(self.received) and code == 128 + self.number
        return 128 + self.received[0] if by_order else code

    def look(self) -> None:
        """To be called often: takes the next means when its time has come."""
        if self.next_at is None or time.monotonic() < self.next_at:
            return
        if self.passed_on and self.child is not None:
            self.next_at = None
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.child.pid, signal.SIGKILL)
        else:
            self._pass_on()

    def _pass_on(self) -> None:
        self._send(self.received[-1])
        if self.grace > 0:
            self.passed_on = True
            self.next_at = time.monotonic() + self.FOR_THE_LAUNCHER

    def _send(self, number: int) -> None:
        if self.child is not None:
            with contextlib.suppress(ProcessLookupError):
                self.child.send_signal(number)


def _supervise(command: list[str], environment: dict[str, str], stopping: Stopping, directory: Path | None) -> int:
    stale = status.status_files(directory) if directory else {}
    terminal = sys.stderr.isatty()
    with _receiving(stopping):
        child = _start(command, environment, piped=terminal)
        stopping.begin(child)
        code = (_watch_live if terminal else _watch_plain)(
            child, stopping, lambda: status.read(directory, stale) if directory else None
        )
    return stopping.status(code)


def _start(command: list[str], environment: dict[str, str], piped: bool) -> subprocess.Popen[str]:
    """In a session of its own, so that a ^C reaches it once, through us."""
    where = subprocess.PIPE if piped else None
    try:
        return subprocess.Popen(
            command,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL if sys.stdin is None or sys.stdin.isatty() else None,
            stdout=where,
            stderr=subprocess.STDOUT if piped else None,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise LaunchError(f"cannot start {command[0]}: {error.strerror}") from None


@contextlib.contextmanager
def _receiving(stopping: Stopping) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    old = {name: signal.signal(getattr(signal, name), stopping.receive) for name in RECEIVED}
    try:
        yield
    finally:
        for name, handler in old.items():
            signal.signal(getattr(signal, name), handler)


Look = Callable[[], status.Snapshot | None]


def _watch_plain(child: subprocess.Popen[str], stopping: Stopping, look: Look) -> int:
    """A line on stderr every few seconds, only while something changes."""
    printed = None
    next_line = time.monotonic() + PLAIN_LINE_EVERY
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return child.wait(LOOK_EVERY)
        stopping.look()
        if time.monotonic() < next_line:
            continue
        next_line = time.monotonic() + PLAIN_LINE_EVERY
        snapshot = look()
        if snapshot and (text := status.line(snapshot)) != printed:
            print(f"tailrace: {text}", file=sys.stderr, flush=True)
            printed = text


def _watch_live(child: subprocess.Popen[str], stopping: Stopping, look: Look) -> int:
    """The job's output scrolls above one line that is kept up to date."""
    console = Console(stderr=True)
    assert child.stdout is not None
    with Live(Text("tailrace: starting", style="dim"), console=console, refresh_per_second=4, transient=True) as live:
        copier = threading.Thread(target=_copy, args=(child.stdout, console), daemon=True)
        copier.start()
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = child.wait(LOOK_EVERY)
                break
            stopping.look()
            if snapshot := look():
                live.update(Text(status.line(snapshot), style="cyan", no_wrap=True, overflow="ellipsis"))
        copier.join(5.0)  # the rest of the pipe, which a stray grandchild may hold open indefinitely
    return code


def _copy(stream: IO[str], console: Console) -> None:
    for text in stream:
        console.print(Text.from_ansi(text.rstrip("\n")), soft_wrap=True)
