"""Reports that lack something, since they were changed or are of another Tailrace."""

from __future__ import annotations

import math
from typing import Any

NUMBERS = {
    "clients": ("run_seconds", "put_seconds", "stall_seconds", "step_seconds", "steps", "model_time"),
    "servers": ("bytes_in", "packets_in", "raw_bytes_out", "message_bytes_sent"),
    "files": ("raw_bytes", "encoded_bytes", "commits"),
}
LATER = {"clients": ("ready_seconds", "checkpoint_seconds", "get_seconds")}  # older reports have none of them
TEXTS = {"clients": ("host", "component"), "servers": ("host",), "files": ("path",)}


def lacking(report: dict[str, Any]) -> str | None:
    """The first thing that is read here and that the report lacks, in words; None if it has all."""
    run = report.get("run")
    if (found := _wrong("run", run, (), ("mode", "outcome"))) is not None:
        return found
    for kind in NUMBERS:
        entries = report.get(kind)
        if not isinstance(entries, list):
            return f"{kind} is not a list"
        for number, entry in enumerate(entries):
            if (found := _wrong_entry(kind, f"{kind}[{number}]", entry)) is not None:
                return found
    return None


def _wrong_entry(kind: str, place: str, entry: Any) -> str | None:
    later = [name for name in LATER.get(kind, ()) if isinstance(entry, dict) and name in entry]
    if (found := _wrong(place, entry, (*NUMBERS[kind], *later), TEXTS[kind])) is not None:
        return found
    if kind == "files":
        return _wrong(f"{place}.write", entry.get("write"), ("seconds",), ())
    if kind == "clients":
        return None
    phases = entry.get("phases")
    if (found := _wrong(f"{place}.phases", phases, (), ())) is not None:
        return found
    wrong = (_wrong(f"{place}.phases.{name}", one, ("seconds",), ()) for name, one in phases.items())
    return next((one for one in wrong if one is not None), None)


def _wrong(place: str, entry: Any, numbers: tuple[str, ...], texts: tuple[str, ...]) -> str | None:
    if entry is None:
        return f"{place} is missing"
    if not isinstance(entry, dict):
        return f"{place} is not a map"
    for name in (*numbers, *texts):
        if name not in entry:
            return f"{place}.{name} is missing"
    for name in numbers:
        value = entry[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return f"{place}.{name} is not a number"
    for name in texts:
        if not isinstance(entry[name], str):
            return f"{place}.{name} is not a text"
    return None
