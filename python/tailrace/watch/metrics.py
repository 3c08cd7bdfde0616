"""The numbers of a run in the text formats of Prometheus: by a file for node_exporter's textfile collector, or over
HTTP (https://prometheus.io/docs/instrumenting/exposition_formats/, https://prometheus.io/docs/practices/naming/).

Names end in their unit, counters in `_total`; a ratio is from 0 to 1.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tailrace import status
from tailrace.report.facts import BUSY_PHASES

from .numbers import Numbers, memory_share

TEXT = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"
# Upper edges of the buckets of lag. Each is an edge of the report's histograms too, so that no commit is in doubt.
LAG_EDGES = tuple(1e-9 * 2.0**k for k in range(20, 40, 2))  # 1 ms to 9 min, in factors of 4
BEGINNING = b"# HELP tailrace_"  # of each text
STATES = ("running", "complete", "silent", "ended")


@dataclass
class Family:
    name: str  # with its unit, without _total
    kind: str  # gauge, counter or histogram
    unit: str
    help: str
    samples: list[tuple[str, Mapping[str, str], float]] = field(default_factory=list)

    def add(self, value: float | None, suffix: str = "", **labels: str) -> None:
        if value is not None:
            self.samples.append((suffix or ("_total" if self.kind == "counter" else ""), labels, float(value)))


def families_of(numbers: Numbers, snapshot: status.Snapshot) -> list[Family]:
    return [one for one in (*_of_run(numbers, snapshot), *_of_servers(numbers, snapshot)) if one.samples]


def _of_run(numbers: Numbers, snapshot: status.Snapshot) -> Iterable[Family]:
    state = Family("tailrace_run_state", "gauge", "", "1 for the state that the run is in, 0 for the others.")
    now = numbers.state if numbers.state in STATES else "ended"
    for one in STATES:
        state.add(now == one, state=one)
    yield state
    age = Family("tailrace_status_age_seconds", "gauge", "seconds", "Time since a server last wrote its status.")
    age.add(numbers.age_seconds)
    yield age
    step = Family("tailrace_step", "gauge", "", "The last step that all ranks of the component have reached.")
    time = Family("tailrace_model_time_seconds", "gauge", "seconds", "Model time of that step.")
    pace = Family(
        "tailrace_model_time_ratio", "gauge", "ratio", "Seconds of model time in a second of wall clock, smoothed."
    )
    speed = Family("tailrace_steps_per_second", "gauge", "", "Steps in a second of wall clock, smoothed.")
    left = Family("tailrace_remaining_seconds", "gauge", "seconds", "Wall clock until the model time given by --until.")
    for one in numbers.components:
        step.add(one.step, component=one.name)
        time.add(one.time, component=one.name)
        pace.add(None if one.simulated_per_day is None else one.simulated_per_day / 86400.0, component=one.name)
        speed.add(one.steps_per_second, component=one.name)
        left.add(one.seconds_to_end, component=one.name)
    yield from (step, time, pace, speed, left)
    safe = Family("tailrace_file_safe_time_seconds", "gauge", "seconds", "Model time up to which a file is on disk.")
    commits = Family("tailrace_file_commits", "counter", "", "Commits to a file.")
    for file in numbers.files:
        safe.add(file.safe_time, path=file.path)
        commits.add(file.commits, path=file.path)
    yield from (safe, commits)
    yield from _of_checkpoints(numbers)
    yield from _of_input(numbers)
    faults = Family("tailrace_faults", "gauge", "", "Faults of the run: it failed, is silent, or gave a file up.")
    faults.add(len(numbers.faults))
    yield faults


def _of_checkpoints(numbers: Numbers) -> Iterable[Family]:
    made = Family("tailrace_checkpoints", "counter", "", "Durable checkpoints of this run.")
    time = Family("tailrace_checkpoint_model_time_seconds", "gauge", "seconds", "Model time of the newest checkpoint.")
    took = Family("tailrace_checkpoint_durable_seconds", "gauge", "seconds", "From the call until it was durable.")
    size = Family("tailrace_checkpoint_size_bytes", "gauge", "bytes", "Size of the newest checkpoint.")
    for one in numbers.checkpoints:
        made.add(one.count, component=one.component)
        if one.count:
            time.add(one.time, component=one.component)
            took.add(one.seconds_to_durable, component=one.component)
            size.add(one.bytes, component=one.component)
    yield from (made, time, took, size)


def _of_input(numbers: Numbers) -> Iterable[Family]:
    read = Family("tailrace_input_read_bytes", "counter", "bytes", "Taken from files of input.")
    late = Family("tailrace_input_late_records", "counter", "", "Records of input that a rank had to wait for.")
    if numbers.input:
        read.add(numbers.input.bytes_read)
        late.add(numbers.input.late)
    yield from (read, late)


def _of_servers(numbers: Numbers, snapshot: status.Snapshot) -> Iterable[Family]:
    received = Family("tailrace_server_received_bytes", "counter", "bytes", "Payload that came from ranks.")
    written = Family("tailrace_server_written_bytes", "counter", "bytes", "Encoded bytes that went to files.")
    phases = Family("tailrace_server_phase_seconds", "counter", "seconds", "Time of all threads in a phase of work.")
    warnings = Family("tailrace_server_warnings", "counter", "", "Warnings and errors that were logged.")
    lag = Family("tailrace_commit_lag_seconds", "histogram", "seconds", "From a commit's last put until it is on disk.")
    buffer = Family("tailrace_server_buffer_ratio", "gauge", "ratio", "Fill of the fullest buffer of a rank.")
    held = Family("tailrace_server_held_bytes", "gauge", "bytes", "Data that the server holds.")
    bound = Family("tailrace_server_memory_limit_bytes", "gauge", "bytes", "The option servers.memory.")
    share = Family("tailrace_server_memory_ratio", "gauge", "ratio", "Held data as a share of a given servers.memory.")
    resident = Family("tailrace_server_resident_bytes", "gauge", "bytes", "Resident memory of the process.")
    for one in snapshot.each_server:
        labels = dict(server=str(one.number), host=one.host)
        received.add(one.bytes_in, **labels)
        written.add(one.bytes_out, **labels)
        warnings.add(one.warnings, **labels)
        for phase in (*BUSY_PHASES, "idle"):
            phases.add(one.phases.get(phase), phase=phase, **labels)
        _add_histogram(lag, one.lag, labels)
    for server in numbers.servers:
        labels = dict(server=str(server.number), host=server.host)
        buffer.add(server.buffer_used, **labels)
        held.add(server.pending_bytes, **labels)
        bound.add(server.memory_bytes, **labels)
        share.add(memory_share(server), **labels)
        resident.add(server.resident_bytes, **labels)
    return (received, written, phases, warnings, lag, buffer, held, bound, share, resident)


def _add_histogram(family: Family, timings: Mapping[str, Any], labels: Mapping[str, str]) -> None:
    if not timings:  # of an older Tailrace
        return
    for edge in LAG_EDGES:
        # The edges of both are the same powers of two; the last digit of a product may differ.
        below = sum(count for upper, count in timings["histogram"] if upper <= edge * (1 + 1e-9))
        family.add(below, "_bucket", le=f"{edge:.12g}", **labels)
    family.add(timings["count"], "_bucket", le="+Inf", **labels)
    family.add(timings["count"], "_count", **labels)
    family.add(timings["seconds"], "_sum", **labels)


def _escaped(text: str, quotes: bool) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace('"', '\\"') if quotes else text


def text_of(families: Iterable[Family], openmetrics: bool = False) -> str:
    """In Prometheus' text format 0.0.4, or in OpenMetrics 1.0."""
    lines = []
    for one in families:
        name = f"{one.name}_total" if one.kind == "counter" and not openmetrics else one.name
        lines.append(f"# HELP {name} {_escaped(one.help, openmetrics)}")
        lines.append(f"# TYPE {name} {one.kind}")
        if one.unit and openmetrics:
            lines.append(f"# UNIT {name} {one.unit}")
        for suffix, labels, value in one.samples:
            said = ",".join(f'{key}="{_escaped(text, True)}"' for key, text in labels.items())
            lines.append(f"{one.name}{suffix}{{{said}}} {value!r}" if said else f"{one.name}{suffix} {value!r}")
    if openmetrics:
        lines.append("# EOF")
    return "\n".join(lines) + "\n"


def is_ours(path: Path) -> bool:
    """Whether the file has metrics of a run, or nothing yet."""
    with path.open("rb") as file:
        return file.read(len(BEGINNING)) in (b"", BEGINNING)


def write(text: str, path: Path) -> None:
    """Atomically, as node_exporter asks for: it reads `*.prom` at any moment."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        Path(name).chmod(0o644)  # node_exporter runs as another user
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
