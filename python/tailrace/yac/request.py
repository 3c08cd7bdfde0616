"""The part of the configuration that a coupled run needs. The compiled module reads and checks the text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import CouplingError


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
    `value`; `files`: those of `output`, with `name`, `place` and `has_if_exists`; `inputs`: the places of the fields of
    `input`."""

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
    files: list[dict[str, Any]]
    inputs: dict[str, str]
    checkpoints: bool


def _asked(entry: dict[str, Any], name: str) -> Asked:
    period = {unit: entry.get(unit) for unit in ("seconds", "steps", "months")}
    where, optional = entry.get("every_place", entry["place"]), entry.get("optional", False)
    return Asked(entry[name], entry["place"], entry["every"], where, **period, optional=optional)


def read_request(path: Path) -> Request:
    """For a component with grids of its own. Raises tailrace.Error with all mistakes of the text, and CouplingError."""
    request = read_request_with(path, "")
    if not request.grids:
        raise CouplingError(
            f"{request.place or path} has no grids in its section `yac`; expected those of this component, such as "
            "`yac: {grids: {boxes: {latlon: 10 deg}}}`"
        )
    return request


def read_request_with(path: Path, text: str) -> Request:
    """With a text as a model may give it, which the user's overrides. Without the section `yac` its place is empty.
    Raises tailrace.Error."""
    from tailrace import _core

    made = json.loads(_core.coupling_request(str(path), text))
    asked = {entry["name"]: _asked(entry, "name") for entry in made.pop("asked")}
    variables = [_asked(entry, "field") for entry in made.pop("variables")]
    inputs = {entry["name"]: entry["place"] for entry in made.pop("inputs")}
    return Request(path=path, asked=asked, variables=variables, inputs=inputs, **made)
