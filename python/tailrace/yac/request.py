"""The part of the configuration that a coupled run needs. The compiled module reads and checks the text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Asked:
    """A field of `fields`, or a variable of `output`, with its period in one unit; in none: never."""

    name: str
    place: str
    every: str
    every_place: str
    seconds: float | None = None
    steps: int | None = None
    months: int | None = None
    optional: bool = False


@dataclass(frozen=True)
class Request:
    """`grids`: by name, with `place` and `target`; `fields`: by name, with `levels` and perhaps `fill_value`; `levels`:
    by dimension, with `place`, `file` and `variable`; `given`: options that the text itself has, with `place` and
    `value`; `inputs`: the places of the fields of `input`."""

    path: Path
    place: str
    component: str
    wait_seconds: float
    watchdog_seconds: float
    grids: dict[str, dict[str, Any]]
    fields: dict[str, dict[str, Any]]
    levels: dict[str, dict[str, str]]
    given: dict[str, dict[str, str]]
    asked: dict[str, Asked]
    variables: list[Asked]
    inputs: dict[str, str]
    checkpoints: bool


def _asked(entry: dict[str, Any], name: str) -> Asked:
    period = {unit: entry.get(unit) for unit in ("seconds", "steps", "months")}
    where, optional = entry.get("every_place", entry["place"]), entry.get("optional", False)
    return Asked(entry[name], entry["place"], entry["every"], where, **period, optional=optional)


def read_request(path: Path) -> Request:
    """Raises tailrace.Error with all mistakes of the text."""
    from tailrace import _core

    made = json.loads(_core.coupling_request(str(path)))
    asked = {entry["name"]: _asked(entry, "name") for entry in made.pop("asked")}
    variables = [_asked(entry, "field") for entry in made.pop("variables")]
    inputs = {entry["name"]: entry["place"] for entry in made.pop("inputs")}
    return Request(path=path, asked=asked, variables=variables, inputs=inputs, **made)
