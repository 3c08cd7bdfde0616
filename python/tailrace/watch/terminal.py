"""`tailrace top`: the numbers of a run in a terminal, also over ssh; or once, as plain text."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import termios
import threading
import time
import tty
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tailrace._text import bytes_text, percent_text, seconds_text

from .numbers import ComponentNumbers, NoRun, Numbers, Run, ServerNumbers, report_directory

LOOK_EVERY = 0.5  # seconds
TABLE_LINES = 4  # of a table, besides its rows
ENDING_KEYS = (b"q", b"Q", b"\x03", b"\x04")  # also ^C and ^D, where the terminal passes them on


def show_once(directory: Path, until: float | None) -> None:
    """As plain text, for scripts and mails. Raises NoRun."""
    run = Run(report_directory(directory), until)
    numbers = run.look()
    if numbers is None:
        raise NoRun(f"{run.directory}: no server has written its status yet")
    console = Console(no_color=True, highlight=False, width=max(80, Console().width))
    console.print(picture(numbers, 10_000))


def show_live(directory: Path, until: float | None) -> None:
    """Until q, ^C or SIGTERM, or the end of the run. Where there is no terminal, as `show_once`. Raises NoRun."""
    run = Run(report_directory(directory), until)
    console = Console()
    if not console.is_terminal:
        show_once(directory, until)
        return
    numbers = run.look()
    ended = threading.Event()
    with _stopping(ended), _keys() as pressed, Live(console=console, screen=True, auto_refresh=False) as live:
        while not ended.is_set():
            numbers = run.look()
            shown = picture(numbers, console.height - 2) if numbers else Text("no server has written its status yet")
            live.update(Group(shown, Text("q ends", style="dim")), refresh=True)
            if (numbers and numbers.has_ended) or pressed(LOOK_EVERY) in ENDING_KEYS:
                break
    if numbers:  # the last state stays on the terminal
        console.print(picture(numbers, 10_000))


@contextlib.contextmanager
def _stopping(ended: threading.Event) -> Iterator[None]:
    """A signal ends the picture, so that the terminal is as it was."""
    names = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    old = {name: signal.signal(name, lambda *_: ended.set()) for name in names}
    try:
        yield
    finally:
        for name, handler in old.items():
            signal.signal(name, handler)


@contextlib.contextmanager
def _keys() -> Iterator[Callable[[float], bytes]]:
    """A function that waits for a key for some seconds; b"" without one."""
    if not sys.stdin.isatty():
        yield lambda seconds: time.sleep(seconds) or b""
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)

    def pressed(seconds: float) -> bytes:
        ready, _, _ = select.select([terminal], [], [], seconds)
        if not ready:
            return b""
        return os.read(terminal, 1) or b"\x04"  # the terminal is gone

    try:
        tty.setcbreak(terminal)
        yield pressed
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def picture(numbers: Numbers, lines: int) -> Group:
    """`lines`: the height of the terminal; what does not fit is counted."""
    head = Text(numbers.state, style="bold green" if numbers.state in ("running", "complete") else "bold red")
    head.append(f"   {numbers.directory}, for {seconds_text(numbers.seconds)}", style="default not bold")
    parts = [head, _components(numbers), _totals(numbers)]
    parts += [Text(f"Fault: {text}", style="red") for text in numbers.faults]
    parts += [Text(f"Warning: {text}", style="yellow") for text in numbers.warnings]
    servers = max(3, lines // 4)
    parts.append(_servers(numbers.servers, servers))
    used = len(parts) + TABLE_LINES * 3 + len(numbers.components) + min(servers, len(numbers.servers))
    parts.append(_files(numbers, max(3, lines - used)))
    if numbers.headline:
        parts += [Text(f"{what}: {value} {context}") for what, value, context in numbers.headline]
    return Group(*parts)


def _table(*heads: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, head in enumerate(heads):
        table.add_column(
            head, justify="right" if number else "left", min_width=len(head), overflow="fold", no_wrap=number > 0
        )
    return table


def _components(numbers: Numbers) -> Table:
    table = _table("component", "step", "model time", "steps/s", "a day", "ends")
    for one in numbers.components:
        speed = "-" if one.steps_per_second is None else f"{one.steps_per_second:.3g}"
        day = "-" if one.simulated_per_day is None else model_text(one.simulated_per_day)
        table.add_row(one.name, str(one.step), model_text(one.time), speed, day, _end(one))
    return table


def _end(one: ComponentNumbers) -> str:
    if one.seconds_to_end is None:
        return "-"
    try:
        then = datetime.now() + timedelta(seconds=one.seconds_to_end)
    except OverflowError:
        return "never"
    return f"in {seconds_text(one.seconds_to_end)}, {then:%d %b %H:%M}"


def model_text(seconds: float) -> str:
    for length, word in ((31557600.0, "years"), (86400.0, "days"), (3600.0, "h")):
        if abs(seconds) >= length:
            return f"{seconds / length:.4g} {word}"
    return f"{seconds:.6g} s"


def _totals(numbers: Numbers) -> Text:
    parts = [
        f"written {bytes_text(numbers.bytes_out)} ({bytes_text(numbers.bytes_out_per_second)}/s)",
        f"lag {seconds_text(numbers.lag_seconds)}",
        f"fullest buffer {percent_text(numbers.buffer_used)}",
    ]
    if numbers.input and numbers.input.reads:
        parts.append(f"read {bytes_text(numbers.input.bytes_read)}, {numbers.input.late} records late")
    for one in numbers.checkpoints:
        if one.count:
            took = seconds_text(one.seconds_to_durable)
            parts.append(f"checkpoint of step {one.step} ({bytes_text(one.bytes)}, durable in {took})")
    return Text("   ".join(parts))


def _servers(servers: tuple[ServerNumbers, ...], most: int) -> Table:
    """Those that are busiest come first."""
    table = _table("server", "host", "busy", "lag", "buffer", "holds", "process", "warned")
    table.columns[1].no_wrap, table.columns[1].justify = False, "left"
    for one in sorted(servers, key=lambda one: -one.load)[:most]:
        table.add_row(
            str(one.number),
            Text(one.host),
            f"{one.load:.2f}",
            seconds_text(one.lag_seconds),
            percent_text(one.buffer_used),
            _held(one),
            "-" if one.resident_bytes is None else bytes_text(one.resident_bytes),
            str(one.warnings),
        )
    _count(table, len(servers), most)
    return table


def _held(one: ServerNumbers) -> str:
    bound = f" of {bytes_text(one.memory_bytes)}" if one.memory_bytes is not None and one.memory_bounds_all else ""
    return bytes_text(one.pending_bytes) + bound


def _files(numbers: Numbers, most: int) -> Table:
    """Those that are furthest behind come first."""
    table = _table("file", "commits", "safe up to", "last commit")
    ordered = sorted(numbers.files, key=lambda file: -1.0 if file.safe_time is None else file.safe_time)
    for file in ordered[:most]:
        safe = "-" if file.safe_time is None else model_text(file.safe_time)
        table.add_row(Text(file.path), str(file.commits), safe, file.committed or "-")
    _count(table, len(numbers.files), most)
    return table


def _count(table: Table, there: int, shown: int) -> None:
    if there > shown:
        table.caption, table.caption_justify = f"and {there - shown} more", "left"
