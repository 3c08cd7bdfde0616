"""A file of PISM, which is a session of its own from its first record on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from tailrace.yac.errors import CouplingError
from tailrace.yac.exchange import declare_field
from tailrace.yac.request import Request
from tailrace.yac.waiting import say

from .aside import move_aside, move_back
from .first import in_first
from .grid import GridPart
from .orders import Order
from .variables import CONNECTING, OF_TIME, Contents, Variable, attribute

NARROW = ("int8", "int16")  # types of files that no field has
NO_INTEGER = -2147483647  # the default fill value of netCDF
CONFIGURATION = "pism_config"  # prefix of the options that are PISM's parameters


class PismFile:
    """Definitions and values come in any order until the coordinates of all dimensions are here, or the first record
    is over; then the session starts. `request`: of the user's configuration."""

    def __init__(self, name: str, request: Request, comm: Any, grids: dict[str, GridPart]):
        self.name, self.contents = name, Contents()
        self._request, self._comm, self._grids = request, comm, grids
        self._texts: dict[str, bytes] = {}
        self._coordinates: dict[str, np.ndarray] = {}
        self._waiting: list[tuple[str, np.ndarray]] = []  # values of the first record
        self._times: list[float] = []
        self._io: Any = None

    @property
    def session(self) -> Any:
        """None before the first record."""
        return self._io

    # ---- orders

    def _check_definition(self, what: str) -> None:
        if self._io is not None:
            raise CouplingError(
                f"{self.name}: PISM defines {what} after the first record, when the file is there; expected all "
                "definitions before"
            )

    def _comes_late(self, what: str) -> bool:
        if self._io is not None and self._comm.rank == 0:
            say("warning", f"{self.name}: {what} left out, as PISM gives this after the first record")
        return self._io is not None

    def define_variable(self, order: Order) -> None:
        if order["variable_name"] not in self.contents.variables:
            self._check_definition(f"the variable {order['variable_name']}")
            self.contents.add_variable(order)

    def define_dimension(self, name: str, length: int) -> None:
        if name not in self.contents.dims:
            self._check_definition(f"the dimension {name}")
            self.contents.dims[name] = length

    def set_attributes(self, given: dict[str, Any]) -> None:
        if self._comes_late(f"the attributes {', '.join(given)} are"):
            return
        self.contents.attributes |= {name: value for name, value in given.items() if value not in ("", [])}

    def append_history(self, text: str) -> None:
        if self._comes_late("a part of the history is"):
            return
        self.contents.history += text

    def append_time(self, time: float) -> None:
        if self._times and self._io is None:
            self._start()
        self._times.append(time)
        if self._io is not None:
            self._io.step(len(self._times), time)

    def take_text(self, name: str, text: bytes) -> None:
        """PISM writes its parameters with each record; they are the same."""
        if self._io is None:
            self._texts[name] = text

    def take(self, name: str, values: np.ndarray, start: list[int] | None = None) -> None:
        """`start`: of an array beside YAC, of which a part may have come."""
        variable = self._variable(name)
        self._check_place(variable, values, start)
        if self.contents.is_coordinate(variable):
            self._coordinates[name] = values
        elif self._io is not None:
            self._put(variable, values)
        else:
            self._waiting.append((name, values.copy()))
        if self._io is None and self._times and self._has_coordinates():
            self._start()

    def close(self) -> None:
        if self._io is None and self._times:
            self._start()
        if self._io is not None:
            self._io.finish()
            self._io = None
        elif self._comm.rank == 0:
            say("warning", f"{self.name}: PISM wrote no record, so there is no such file")

    def _variable(self, name: str) -> Variable:
        if name not in self.contents.variables:
            raise CouplingError(f"{self.name}: PISM writes {name}, which it has not defined in this file")
        return self.contents.variables[name]

    def _check_place(self, variable: Variable, values: np.ndarray, start: list[int] | None) -> None:
        if variable.of_time and not self._times:
            raise CouplingError(f"{self.name}: PISM writes {variable.name} before the first time of the file")
        first = [len(self._times) - 1] * variable.of_time + [0] * len(variable.dims)
        start = first if start is None else start
        if start != first or values.size != np.prod(self._own_shape(variable), dtype=int):
            raise CouplingError(
                f"{self.name}: PISM writes {values.size} values of {variable.name} from {start} on; expected a whole "
                f"record, {list(self._own_shape(variable))} from {first} on"
            )

    def _own_shape(self, variable: Variable) -> tuple[int, ...]:
        """In this process."""
        shape, part = self.contents.shape(variable), self._grids.get(variable.name)
        return (part.rows, *shape[1:]) if part else shape

    # ---- the session

    def _has_coordinates(self) -> bool:
        needed = {dim for one in self.contents.fields() for dim in one.dims if dim in self.contents.variables}
        return needed <= set(self._coordinates)

    def _start(self) -> None:
        from tailrace import _core

        time = self._times[0]
        text = text_of(self.name, self.contents)
        io = _core.Session.start(self._comm, str(self._request.path), component="pism", initial_time=time, text=text)
        io.option("file", self.name)
        io.option("stem", self.name.removesuffix(".nc"))
        for name, value in self._parameters().items():
            io.option(f"{CONFIGURATION}.{name}", value)
        for name, value in self.contents.attributes.items():
            io.set_attribute(name, attribute(value))
        if self.contents.history:
            io.set_attribute("history", self.contents.history)
        self._declare(io)
        self._make_ready(io)
        io.step(1, time)
        for name, values in self._waiting:
            self._put(self.contents.variables[name], values)
        self._waiting.clear()

    def _make_ready(self, io: Any) -> None:
        """A mistake in the configuration leaves an existing file where it is."""
        moved = self._make_room()
        self._io = io
        try:
            io.ready()
        except Exception as error:
            is_mistake = getattr(error, "code", "") == "configuration"
            if moved is not None and is_mistake and move_back(moved, Path(self.name)):
                moved = None
            raise
        finally:
            if moved is not None:
                say("warning", f"{self.name} was there before; it is {moved} now")

    def _make_room(self) -> Path | None:
        """As PISM does, unless the configuration says what is to happen, or leaves the file out. Returns where an
        existing file is now, in the first process."""
        entry = next((file for file in self._request.files if file["name"] == "{file}"), None)
        if entry is None or entry["has_if_exists"]:
            return None
        moved = in_first(self._comm, lambda: move_aside(Path(self.name)))
        return moved if self._comm.rank == 0 else None

    def _parameters(self) -> dict[str, str]:
        """PISM's configuration, whose text is an object of JSON, and other texts by their names."""
        found: dict[str, str] = {}
        for name, text in self._texts.items():
            plain = text.rstrip(b"\0").decode(errors="replace")
            try:
                made = json.loads(plain)
            except ValueError:
                made = plain
            if isinstance(made, dict):
                found |= {key: one if isinstance(one, str) else json.dumps(one) for key, one in made.items()}
            else:
                found[name] = plain
        return found

    def _declare(self, io: Any) -> None:
        declared: dict[tuple[tuple[str, ...], bool], str] = {}
        mappings = self.contents.mappings()
        for variable in self.contents.fields():
            if variable.dims:
                key = variable.dims, variable.name in self._grids
                if key not in declared:
                    declared[key] = self._declare_grid(io, variable, mappings)
                grid = declared[key]
            else:
                grid = ""
            own = variable.words()
            kind = "int32" if variable.type in NARROW else variable.type
            words = {"grid": grid, "dtype": kind, "fill_value": variable.fill_value()}
            told = f"the attributes of {variable.name} in {self.name}" if self._comm.rank == 0 else None
            declare_field(io, variable.name, words, own, own.pop("attributes"), told)

    def _declare_grid(self, io: Any, variable: Variable, mappings: dict[str, Variable]) -> str:
        dims, shape = variable.dims, self.contents.shape(variable)
        part = self._grids.get(variable.name)
        name = "-".join(dims) + ("" if part else " whole")
        if part:
            rest = list(shape[1:])
            io.grid(name, dims=dims, shape=shape, offset=[part.first_row, *(0 for _ in rest)], count=[part.rows, *rest])
        else:
            io.grid(name, dims=dims, shape=shape)
        for dim in dims:
            if dim in self._coordinates:
                words = self.contents.variables[dim].words(CONNECTING)
                io.coordinate(name, dim, self._coordinates[dim], **words)
        mapping = mappings.get(variable.given.get("grid_mapping"))
        if mapping and mapping.given.get("grid_mapping_name"):
            words = {key: attribute(value) for key, value in mapping.given.items() if value not in ("", [])}
            io.grid_mapping(name, words.pop("grid_mapping_name"), name=mapping.name, attributes=words)
        return name

    def _put(self, variable: Variable, values: np.ndarray) -> None:
        if not self._io.wants(variable.name):
            return
        if variable.type.startswith("int"):
            values = _whole_numbers(values, variable.fill_value())
        elif variable.type == "float32":
            values = values.astype(np.float32)
        self._io.put(variable.name, np.ascontiguousarray(values).reshape(self._own_shape(variable)))


def _whole_numbers(values: np.ndarray, fill: float | None) -> np.ndarray:
    """Numbers that no int32 holds, such as NaN, become missing."""
    whole = np.rint(values)
    whole[~(np.abs(whole) < 2.0**31)] = NO_INTEGER if fill is None else fill
    return whole.astype(np.int32)


def text_of(name: str, contents: Contents) -> str:
    """The configuration that PISM's definitions make, which that of the user overrides. JSON is YAML too."""
    fields = contents.fields()
    fixed = [one.name for one in fields if not one.of_time]
    groups: dict[str, Any] = {"pism": {"every": "1 step", "names": ["*"], "optional": True}}
    if fixed:
        groups["pism_fixed"] = {"every": "once", "names": fixed, "optional": True}
    given = contents.variables[contents.time].given if contents.time in contents.variables else {}
    of_time = {key: one for key, one in given.items() if key not in OF_TIME and one != ""}
    if bounds := contents.bounds_of_time():
        of_time["bounds"] = bounds
    narrow = [{"field": one.name, "type": one.type, "every": "1 step"} for one in fields if one.type in NARROW]
    entry = {
        "time_attributes": of_time,
        "option_tables": {CONFIGURATION: {"prefix": f"{CONFIGURATION}.", "optional": True}},
        "variables": [{"fields": "*", "every": "1 step"}, *narrow],
    }
    made = {
        "tailrace": 1,
        "servers": {
            "mode": "inline",
            "model_uses_hdf5": False,
            "report_directory": f"tailrace_report/{quote(name, safe='')}",
        },
        "model_time": contents.model_time(),
        "fields": groups,
        "output": {"{file}": entry},
    }
    return json.dumps(made, indent=1)
