"""All that YAC knows after its definitions were exchanged: components, fields, couples, dates.

YAC writes this to a file on request (debug.global_config), and that is the only way to learn the period and the lag of
a couple, or the couples of other components. Its queries end the process for names that it does not know.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass
from pathlib import Path

from .dates import CF_NAMES, length_of, milliseconds_of
from .errors import CouplingError

VISIBLE_WITHIN = 60.0  # seconds: NFS remembers that long that a file was not there
SIGN = '"debug_definitions"'  # the key under which YAC's file has them


@dataclass(frozen=True, order=True)
class FieldName:
    """Names of component, grid and field, as YAC tells fields apart."""

    component: str
    grid: str
    field: str

    def __str__(self) -> str:
        return f"{self.component}.{self.grid}.{self.field}"


@dataclass(frozen=True)
class DefinedField:
    name: FieldName
    collection: int
    step: int  # milliseconds; 0: of no fixed length
    metadata: str


@dataclass(frozen=True)
class Couple:
    source: FieldName
    target: FieldName
    period: int  # milliseconds; 0: of no fixed length
    reduction: str
    source_lag: int  # steps of the source
    target_lag: int  # steps of the target
    raw: bool
    selected: int  # members of the source's collection that are sent; 0: all

    def __str__(self) -> str:
        return f"{self.source} -> {self.target}"


@dataclass(frozen=True)
class Definitions:
    calendar: str  # by its CF name
    start_date: str
    start: int  # milliseconds, as those of dates.milliseconds_of
    end: int
    fields: dict[FieldName, DefinedField]  # those whose components have defined them
    components: list[str]
    couples: list[Couple]


def check_output_of_definitions(coupling: Path) -> None:
    """YAC writes one file after sync_def, so its configuration must leave that to us."""
    for number, line in enumerate(coupling.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        if found := re.match(r"\s*sync_def\s*:", line):
            raise CouplingError(
                f"{coupling}:{number}:{found.end() - len(found[0].lstrip()) + 1}: Tailrace has YAC write its "
                "definitions after sync_def to .tailrace/yac/definitions.json, and YAC takes one file; expected "
                "`def_comp` or `enddef` here, or nothing"
            )


def await_definitions(path: Path) -> None:
    """Until a file that the first process of the job has written is seen here. Raises CouplingError."""
    end = time.monotonic() + VISIBLE_WITHIN
    while not path.exists():
        if time.monotonic() > end:
            raise CouplingError(
                f"{path}: the first process of the job has written YAC's definitions there, but the file is not to be "
                "seen here; expected the job to run in a folder that all nodes share"
            )
        time.sleep(0.05)


def read_definitions(path: Path) -> Definitions:
    made = json.loads(path.read_text(encoding="utf-8"))
    calendar = CF_NAMES.get(made.get("calendar", ""))
    if calendar is None:
        raise CouplingError(
            "YAC has no calendar; expected one in its configuration, such as `calendar: proleptic-gregorian`, or from "
            "a component"
        )
    dates = [made.get(f"{which}_date") for which in ("start", "end")]
    if None in dates:
        raise CouplingError(
            "YAC has no dates of the run; expected `start_date` and `end_date` in its configuration, or from a "
            "component"
        )
    start, end = (milliseconds_of(date, calendar) for date in dates)
    components = made["debug_definitions"].get("components", [])
    fields = {
        field.name: field
        for component in components
        for entry in component.get("fields", [])
        if "collection_size" in entry and (field := _field(component["name"], entry))
    }
    couples = [_couple(entry) for entry in made.get("coupling", [])]
    names = [component["name"] for component in components]
    return Definitions(calendar, dates[0], start, end, fields, names, couples)


def _field(component: str, entry: dict) -> DefinedField:
    name = FieldName(component, entry["grid_name"], entry["name"])
    return DefinedField(name, entry["collection_size"], length_of(entry["timestep"]), entry.get("metadata", ""))


def _couple(entry: dict) -> Couple:
    field = entry["field"]
    names = (field, field) if isinstance(field, str) else (field["src"], field["tgt"])
    source, target = (
        FieldName(entry[f"{side}_component"], entry[f"{side}_grid"], name)
        for side, name in zip(("src", "tgt"), names, strict=True)
    )
    selection = entry.get("collection_selection", [])  # a number, or a list
    return Couple(
        source,
        target,
        length_of(entry["coupling_period"]),
        entry.get("time_reduction", "none"),
        int(entry.get("src_lag", 0)),
        int(entry.get("tgt_lag", 0)),
        bool(entry.get("use_raw_exchange", False)),
        len(selection) if isinstance(selection, list) else 1,
    )
