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
FORWARDED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")


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
    has status 128 + signal, as in a shell. Signals that reach this process are passed on. Raises LaunchError, and
    tailrace.Error where the configuration does not hold, before anything is started.
    """
    if ranks < 1 or (servers or 0) < 0:
        raise LaunchError(f"a job needs at least one model rank and no negative number of servers: {ranks}, {servers}")
    configuration = Path(configuration)
    job = launch.Job(
        ranks=ranks,
        program=_program(program),
        servers=servers or 0,
        server_program=launch.server_command(str(configuration)),
        environment=launch.handed_on(os.environ),
    )
    command = launch.command_line(launch.detect(mpirun), job, launch.this_machine())
    directory = report_directory_of(configuration)
    if directory is None:
        return _supervise(command, None)
    before = _changed(directory / "report.json")
    code = _supervise(command, directory)
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


def _supervise(command: list[str], directory: Path | None) -> int:
    stale = status.status_files(directory) if directory else {}
    terminal = sys.stderr.isatty()
    child = _start(command, piped=terminal)
    with _forwarding(child):
        code = (_watch_live if terminal else _watch_plain)(
            child, lambda: status.read(directory, stale) if directory else None
        )
    return code if code >= 0 else 128 - code


def _start(command: list[str], piped: bool) -> subprocess.Popen[str]:
    """In a session of its own, so that a ^C reaches it once, through us."""
    where = subprocess.PIPE if piped else None
    try:
        return subprocess.Popen(
            command,
            env=os.environ | launch.handed_on(os.environ),
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
def _forwarding(child: subprocess.Popen[str]) -> Iterator[None]:
    """Passes signals on to mpirun, which passes them on to the ranks. Only the main thread may do so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def forward(number: int, frame: FrameType | None) -> None:
        del frame
        with contextlib.suppress(ProcessLookupError):
            child.send_signal(number)

    old = {name: signal.signal(getattr(signal, name), forward) for name in FORWARDED}
    try:
        yield
    finally:
        for name, handler in old.items():
            signal.signal(getattr(signal, name), handler)


Look = Callable[[], status.Snapshot | None]


def _watch_plain(child: subprocess.Popen[str], look: Look) -> int:
    """A line on stderr every few seconds, only while something changes."""
    printed = None
    next_line = time.monotonic() + PLAIN_LINE_EVERY
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return child.wait(LOOK_EVERY)
        if time.monotonic() < next_line:
            continue
        next_line = time.monotonic() + PLAIN_LINE_EVERY
        snapshot = look()
        if snapshot and (text := status.line(snapshot)) != printed:
            print(f"tailrace: {text}", file=sys.stderr, flush=True)
            printed = text


def _watch_live(child: subprocess.Popen[str], look: Look) -> int:
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
            if snapshot := look():
                live.update(Text(status.line(snapshot), style="cyan", no_wrap=True, overflow="ellipsis"))
        copier.join(5.0)  # the rest of the pipe, which a stray grandchild may hold open indefinitely
    return code


def _copy(stream: IO[str], console: Console) -> None:
    for text in stream:
        console.print(Text.from_ansi(text.rstrip("\n")), soft_wrap=True)
