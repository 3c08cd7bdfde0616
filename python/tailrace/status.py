"""The state of a running job: combines the status files of its servers and makes the status line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tailrace._text import bytes_text, percent_text, seconds_text


@dataclass(frozen=True)
class Component:
    name: str
    step: int
    time: float
    steps_per_second: float | None  # not known at first
    model_seconds_per_second: float | None = None  # likewise


@dataclass(frozen=True)
class FileProgress:
    path: str
    commits: int
    model_time: float


@dataclass(frozen=True)
class CheckpointProgress:
    """The newest checkpoint of a component that is durable; `count` is 0 where none is yet."""

    component: str
    count: int
    step: int
    time: float
    seconds_to_durable: float
    bytes: int
    bytes_per_second: float
    model_seconds: float  # that the calls of checkpoint before it cost the first rank, in all
    burst_buffer: dict[str, Any] | None = None  # the newest that was complete on the nodes, and what waits there


@dataclass(frozen=True)
class InputProgress:
    """All input fields: what was read from files, and how often a rank needed a record that was not there yet."""

    reads: int
    bytes_read: int
    late: int
    late_seconds: float  # of the latest such record of the field where it was longest


@dataclass(frozen=True)
class Server:
    """One server. Numbers that an older Tailrace did not write are None or empty."""

    number: int
    host: str
    seconds: float  # since its start
    wall_time: str
    bytes_in: int
    bytes_out: int
    lag_seconds: float  # of its latest commit
    buffer_used: float
    pending_bytes: int
    memory_bytes: int | None  # the option
    memory_bounds_all: bool
    resident_bytes: int | None
    phases: Mapping[str, float]  # seconds in each, of all threads
    lag: Mapping[str, Any]  # timings of all its commits
    warnings: int
    last_warnings: tuple[str, ...]

    @staticmethod
    def of(page: Mapping[str, Any]) -> Server:
        warnings = page.get("warnings", {})
        return Server(
            number=page["server"],
            host=page.get("host", ""),
            seconds=page["seconds"],
            wall_time=page["wall_time"],
            bytes_in=page["bytes_in"],
            bytes_out=page["bytes_out"],
            lag_seconds=page["lag_seconds"],
            buffer_used=page["buffer_used"],
            pending_bytes=page["pending_bytes"],
            memory_bytes=page.get("memory_bytes"),
            memory_bounds_all=page.get("memory_bounds_all", False),
            resident_bytes=page.get("resident_bytes"),
            phases=page.get("phases", {}),
            lag=page.get("lag", {}),
            warnings=warnings.get("count", 0),
            last_warnings=tuple(warnings.get("last", ())),
        )


@dataclass(frozen=True)
class Snapshot:
    """The whole run: sums and rates over all servers, the slowest component, the worst lag and buffer."""

    state: str
    servers: int
    components: tuple[Component, ...]
    files: tuple[FileProgress, ...]
    bytes_out: int
    bytes_out_per_second: float
    lag_seconds: float
    buffer_used: float
    pending_bytes: int
    checkpoints: tuple[CheckpointProgress, ...] = ()
    input: InputProgress | None = None  # none without input fields
    each_server: tuple[Server, ...] = ()


def status_files(directory: Path | str) -> dict[Path, int]:
    """The status files there are, each with the time of its last change; {} where there are none."""
    found = {}
    for path in [Path(directory) / "status.json", *sorted(Path(directory).glob("status.*.json"))]:
        try:
            found[path] = path.stat().st_mtime_ns
        except FileNotFoundError:
            continue
    return found


def read(directory: Path | str, stale: Mapping[Path, int] | None = None) -> Snapshot | None:
    """None until some server has written. `stale`: files as an earlier run left them, which do not count."""
    pages = []
    for path, changed in status_files(directory).items():
        if stale and stale.get(path) == changed:
            continue
        try:
            page = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, json.JSONDecodeError):  # gone meanwhile, or not ours
            continue
        if isinstance(page, dict) and page.get("schema") == "tailrace-status" and page.get("version") == 1:
            pages.append(page)
    return merge(pages) if pages else None


def merge(pages: list[dict[str, Any]]) -> Snapshot:
    components: dict[str, Component] = {}
    files: dict[str, FileProgress] = {}
    for page in pages:
        for item in page["components"]:
            pace = item.get("model_seconds_per_second")
            one = Component(item["name"], item["step"], item["time"], item["steps_per_second"], pace)
            known = components.get(one.name)
            if known is None or one.step < known.step:
                components[one.name] = one
        for item in page["files"]:
            file = FileProgress(item["path"], item["commits"], item["model_time"])
            if file.path not in files or file.commits > files[file.path].commits:
                files[file.path] = file
    states = {page["state"] for page in pages}
    trouble = sorted(states - {"running", "complete"})
    state = trouble[0] if trouble else ("running" if "running" in states else "complete")
    return Snapshot(
        state=state,
        servers=max(page["servers"] for page in pages),
        components=tuple(components.values()),
        files=tuple(files.values()),
        bytes_out=sum(page["bytes_out"] for page in pages),
        bytes_out_per_second=sum(page["bytes_out_per_second"] for page in pages),
        lag_seconds=max(page["lag_seconds"] for page in pages),
        buffer_used=max(page["buffer_used"] for page in pages),
        pending_bytes=sum(page["pending_bytes"] for page in pages),
        checkpoints=tuple(CheckpointProgress(**item) for page in pages for item in page.get("checkpoints", ())),
        input=merge_inputs(pages),
        each_server=tuple(sorted(map(Server.of, pages), key=lambda one: one.number)),
    )


def merge_inputs(pages: list[dict[str, Any]]) -> InputProgress | None:
    inputs = [item for page in pages for item in page.get("inputs", ())]
    if not inputs:
        return None
    return InputProgress(
        reads=sum(item["reads"] for item in inputs),
        bytes_read=sum(item["bytes_read"] for item in inputs),
        late=sum(item["late"] for item in inputs),
        late_seconds=max(item["late_seconds"] for item in inputs),
    )


def line(snapshot: Snapshot) -> str:
    """bubble step 120, t = 43.2 s, 12.3 steps/s | out 45.0 MiB/s (1.2 GiB) | lag 20 ms | buffer 12 % | ..."""
    parts = [
        f"{one.name} step {one.step}, t = {one.time:g} s"
        + (f", {one.steps_per_second:.3g} steps/s" if one.steps_per_second is not None else "")
        for one in snapshot.components
    ]
    parts.append(f"out {bytes_text(snapshot.bytes_out_per_second)}/s ({bytes_text(snapshot.bytes_out)})")
    parts.append(f"lag {seconds_text(snapshot.lag_seconds)}")
    parts.append(f"buffer {percent_text(snapshot.buffer_used)}")
    written = [file for file in snapshot.files if file.commits]
    if written:
        behind = min(written, key=lambda file: file.model_time)
        more = f" and {len(written) - 1} more" if len(written) > 1 else ""
        parts.append(f"{Path(behind.path).name} to {behind.model_time:g} s{more}")
    if snapshot.input and snapshot.input.reads:
        read = snapshot.input
        late = f", {read.late} late (the last by {seconds_text(read.late_seconds)})" if read.late else ""
        parts.append(f"read {read.reads} records ({bytes_text(read.bytes_read)}){late}")
    for checkpoint in snapshot.checkpoints:
        if checkpoint.count:
            parts.append(
                f"checkpoint {checkpoint.step}: {bytes_text(checkpoint.bytes)} durable in "
                f"{seconds_text(checkpoint.seconds_to_durable)} ({bytes_text(checkpoint.bytes_per_second)}/s), "
                f"the model paid {seconds_text(checkpoint.model_seconds)} in all"
            )
        buffer = checkpoint.burst_buffer
        if buffer and buffer["waiting"]:
            parts.append(
                f"checkpoint {buffer['step']} on the nodes in {seconds_text(buffer['seconds_to_nodes'])}, "
                f"{bytes_text(buffer['waiting_bytes'])} wait in burst buffers"
            )
    if snapshot.state not in ("running", "complete"):
        parts.insert(0, snapshot.state)
    return " | ".join(parts)
