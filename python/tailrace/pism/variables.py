"""PISM's definitions of a file, its dimensions and variables, and their form in the declarations of a session."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tailrace.yac.errors import CouplingError
from tailrace.yac.metadata import OWN

from .orders import Order

TYPES = {"f8": "float64", "f4": "float32", "i4": "int32", "i2": "int16", "i1": "int8", "S1": "text"}
# Attributes that connect variables, or that Tailrace writes itself from what is declared.
CONNECTING = ("bounds", "grid_mapping", "_FillValue")
OF_TIME = ("units", "calendar", "bounds", "axis", "standard_name", "_FillValue")
UNITS_OF_TIME = re.compile(r"(?:seconds?|secs?|s) since (-?\d+)-(\d+)-(\d+)(?:[T ]+(\d+):(\d+)(?::(\d+)(?:\.0*)?)?)?")


@dataclass
class Variable:
    """`dims`: without that of the records, slowest first."""

    name: str
    dims: tuple[str, ...]
    of_time: bool
    type: str
    given: dict[str, Any]  # PISM's attributes: texts, and lists of numbers

    @property
    def is_text(self) -> bool:
        return self.type == "text"

    def fill_value(self) -> float | None:
        numbers = self.given.get("_FillValue")
        return None if numbers is None else _numbers(numbers)[0]

    def words(self, without: tuple[str, ...] = CONNECTING) -> dict[str, Any]:
        """Arguments of a declaration. Empty texts are none, as in PISM's own files."""
        kept = {name: value for name, value in self.given.items() if name not in without and value not in ("", [])}
        own = {name: kept.pop(name) for name in OWN if isinstance(kept.get(name), str)}
        return {**own, "attributes": {name: attribute(value) for name, value in kept.items()}}


def variable_of(order: Order, time: str | None) -> Variable:
    """`order`: DEFINE_VARIABLE; `time`: the dimension of the records. Raises CouplingError."""
    name, dims, kind = order["variable_name"], list(order["dimensions"]), order["dtype"]
    if kind not in TYPES:
        raise CouplingError(f"PISM defines {name} with the type {kind!r}; expected one of {', '.join(TYPES)}")
    of_time = time is not None and time in dims
    if of_time and dims[0] != time:
        raise CouplingError(
            f"PISM defines {name} along {', '.join(dims)}; expected {time} first, so leave out `output.experiment_id`"
        )
    return Variable(name, tuple(dims[1:] if of_time else dims), of_time, TYPES[kind], order["attributes"] or {})


def _numbers(value: Any) -> list[float]:
    """JSON has no NaN: PISM writes null."""
    numbers = value if isinstance(value, list) else [value]
    return [math.nan if number is None else float(number) for number in numbers]


def attribute(value: Any) -> Any:
    if isinstance(value, str):
        return value
    numbers = _numbers(value)
    return numbers[0] if len(numbers) == 1 else np.array(numbers)


@dataclass
class Contents:
    """All definitions of a file."""

    dims: dict[str, int] = field(default_factory=dict)  # 0: of the records
    variables: dict[str, Variable] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    history: str = ""

    @property
    def time(self) -> str | None:
        return next((name for name, length in self.dims.items() if length == 0), None)

    def add_variable(self, order: Order) -> None:
        """A second definition changes nothing, since PISM gives one whenever it is not sure."""
        made = variable_of(order, self.time)
        unknown = [dim for dim in made.dims if dim not in self.dims]
        if unknown:
            raise CouplingError(f"PISM defines {made.name} along {unknown[0]}, a dimension that it has not defined")
        self.variables.setdefault(made.name, made)

    def shape(self, variable: Variable) -> tuple[int, ...]:
        return tuple(self.dims[dim] for dim in variable.dims)

    def is_coordinate(self, variable: Variable) -> bool:
        return not variable.of_time and variable.dims == (variable.name,)

    def mappings(self) -> dict[str, Variable]:
        """Variables without values that others name as their `grid_mapping`."""
        named = {variable.given.get("grid_mapping") for variable in self.variables.values()}
        return {name: one for name, one in self.variables.items() if name in named and not one.dims}

    def fields(self) -> list[Variable]:
        """Those with values that are no coordinates."""
        mappings = self.mappings()
        return [
            one
            for name, one in self.variables.items()
            if name != self.time and not one.is_text and not self.is_coordinate(one) and name not in mappings
        ]

    def bounds_of_time(self) -> str | None:
        name = self.variables[self.time].given.get("bounds") if self.time in self.variables else None
        return name if name in self.variables else None

    def model_time(self) -> dict[str, str]:
        """The section of the configuration. Raises CouplingError."""
        if self.time is None or self.time not in self.variables:
            raise CouplingError("PISM appends a time, but has defined no dimension of length 0 with a variable")
        given = self.variables[self.time].given
        found = UNITS_OF_TIME.fullmatch(str(given.get("units", "")).strip())
        if not found:
            raise CouplingError(
                f"PISM counts its time in {given.get('units')!r}; expected seconds since a date, such as "
                "'seconds since 1-1-1'"
            )
        year, month, day, hour, minute, second = (int(part or 0) for part in found.groups())
        start = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"
        return {"calendar": given.get("calendar") or "standard", "start": start}
