"""Checkpoints between two jobs, for the command line."""

from __future__ import annotations

import re
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tailrace import _core
from tailrace._text import bytes_text, plural

__all__ = ["copy", "files_of_output", "inspect_directory", "show", "waiting"]

STORE_INDICES = {".zarr": "zarr.json", ".bp": "md.idx"}  # of datasets that are directories, by their endings
COLUMNS = ("component", "step", "model time", "size", "files", "state")


def show(directory: Path, verify: bool = False, console: Console | None = None) -> str:
    """Prints the checkpoints in `directory`. Returns the number of unusable ones as text, or nothing."""
    console = console or Console()
    found = _core.Checkpoints(directory).list(verify)
    console.print(_table(found, verify), soft_wrap=True)
    for one in found:
        if one.state != "complete":
            console.print(Text(f"{one.path}: {_reason(one)}"), soft_wrap=True)
    bad = [one for one in found if one.state in ("damaged", "refused")]
    return f"{len(bad)} of {plural(len(found), 'checkpoint')}" if bad else ""


def _table(found: list[_core.Checkpoint], verify: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in COLUMNS:
        table.add_column(name, justify="left" if name in ("component", "state") else "right", no_wrap=True)
    for one in found:
        complete = one.state == "complete"
        facts = (f"{one.time:.12g} s", bytes_text(one.bytes), str(one.members)) if complete else ("", "", "")
        state = "whole" if complete and verify else one.state.replace("_", " ")
        style = {"complete": "green", "on_nodes": "yellow"}.get(one.state, "red")
        table.add_row(one.component, str(one.step), *facts, Text(state, style=style))
    return table


def _reason(one: _core.Checkpoint) -> str:
    if one.state == "on_nodes":
        by = f"the job on {one.holder} drains it" if one.holder else "`tailrace checkpoint drain`, there, drains it"
        return f"{one.why}; {by}"
    if one.state == "unfinished" and one.holder:
        return f"{one.why}; a job is running, on {one.holder}"
    return one.why


def files_of_output(directory: Path) -> list[Path]:
    """The NetCDF files, Zarr stores and BP datasets in `directory`, if it is not a checkpoint; itself, if it is one of
    these."""
    if any((directory / index).exists() for index in STORE_INDICES.values()):
        return [directory]
    if re.fullmatch(r"step_\d{12,}", directory.resolve().name):
        return []
    stores = (found.parent for ending, index in STORE_INDICES.items() for found in directory.glob(f"*{ending}/{index}"))
    return sorted([*directory.glob("*.nc"), *stores])


def inspect_directory(directory: Path, repair: bool) -> bool:
    """Prints a line for each checkpoint in `directory`, all of which are read; whether one cannot be used."""
    checkpoints = _core.Checkpoints(directory)
    if repair:
        for path in checkpoints.repair():
            print(f"{path}: removed: it could not be used")
        if not any(directory.glob("**/step_*")):
            return False
    unusable = False
    for one in checkpoints.list(verify=True):
        if one.state == "complete":
            size = f"{plural(one.members, 'file')}, {bytes_text(one.bytes)}"
            print(f"{one.path}: complete; step {one.step}, {one.time:.12g} s of model time, {size}")
            continue
        print(f"{one.path}: {one.state.replace('_', ' ')}: {_reason(one)}")
        if one.state == "on_nodes":
            continue
        unusable = unusable or not one.holder or one.state != "unfinished"
    return unusable


def waiting(directory: Path) -> list[str]:
    """A line for each checkpoint in `directory` that is not drained yet."""
    return [f"{one.path}: {one.why}" for one in _core.Checkpoints(directory).list() if one.state == "on_nodes"]


def copy(directory: Path, target: Path, step: int | None = None) -> list[str]:
    """Copies one checkpoint of each component; the paths of the copies."""
    found = _core.Checkpoints(directory).list()
    chosen: dict[str, _core.Checkpoint] = {}
    for one in found:
        if one.state == "complete" and step in (None, one.step):
            chosen.setdefault(one.component, one)
    missing = sorted({one.component for one in found} - set(chosen))
    if missing:
        steps = sorted({one.step for one in found if one.state == "complete"})
        wanted = "a complete one" if step is None else f"one of step {step}"
        have = f"; there are steps {', '.join(map(str, steps))}" if steps else ""
        raise ValueError(f"{directory}: component {missing[0]!r} has no checkpoint to copy: expected {wanted}{have}")
    return [_core.Checkpoints(one.path).copy(target) for one in chosen.values()]
