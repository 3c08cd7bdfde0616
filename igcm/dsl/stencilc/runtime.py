"""Calls generated functions with NumPy arrays: `NAME_stencils.load("libname.so").kernel(grid, T=t)`."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import mesh as meshes
from .interfaces import RESULTS, sets, tables
from .mesh import PLURALS
from .target import LOCATIONS, Layout

POINTER = ctypes.POINTER(ctypes.c_int32)
FIELDS = ctypes.POINTER(ctypes.POINTER(ctypes.c_double))
BEGIN_EXCHANGE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, FIELDS, POINTER)
END_EXCHANGE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class StencilSet(ctypes.Structure):
    _fields_ = [("count", ctypes.c_int32), ("ranges", POINTER), ("inner", ctypes.c_int32)]


@dataclass(frozen=True)
class Argument:
    name: str
    location: str  # of a field; "real" or "int" for a number
    relation: str | None = None
    kind: str | None = None
    written: bool = False
    geometry: bool = False  # with MPI: the caller fills its halo


class Grid:
    """A part of a mesh: what the functions take first. It keeps the arrays that its handle points to.

    counts: points of each location; neighbours: by relation, such as "cell.edge", an array (slot, point) of numbers
    from 0; sets: by location and name, such as "cell.interior", ranges (first, one past the last); a set that is
    missing is all points. exchange(location, array): called for each field that is exchanged, as it lies in memory;
    parts.py has the exchange of ranks.
    """

    def __init__(self, mesh: str, levels: int, counts: dict[str, int], neighbours, sets=None, exchange=None):
        self.mesh, self.levels, self.counts = meshes.load(mesh), levels, dict(counts)
        self.tables: dict[str, np.ndarray] = {}
        self.ranges: dict[str, np.ndarray] = {}
        self.kept: list = []
        self.handle = handle_type(self.mesh)()
        self.handle.levels = levels
        for location in self.mesh.sets:
            setattr(self.handle, PLURALS[location], counts[location])
        for name, table in neighbours.items():
            self.set_table(name, np.asarray(table))
        given = dict(sets or {})
        for location, named in self.mesh.sets.items():
            for name in named:
                ranges = given.pop(f"{location}.{name}", [(0, counts[location])])
                self.set_ranges(location, name, np.array(ranges, np.int32).reshape(-1, 2))
        if given:
            raise ValueError(f"{next(iter(given))} is no set of the mesh {mesh}")
        if exchange:
            self.handle.begin_exchange = self.keep(BEGIN_EXCHANGE(self.exchanger(exchange)))

    def keep(self, thing):
        self.kept.append(thing)
        return thing

    def set_table(self, name: str, table: np.ndarray):
        relation = self.mesh.relations.get(name)
        if relation is None:
            raise ValueError(f"{name} is no relation of the mesh {self.mesh.name}")
        shape = (len(relation.slots), self.counts[relation.start])
        if table.shape != shape:
            raise ValueError(f"{name}: shape {table.shape}; expected {shape}")
        if table.size and (table.min() < 0 or table.max() >= self.counts[relation.to]):
            raise ValueError(f"{name}: a neighbour is not within 0..{self.counts[relation.to] - 1}")
        array = self.tables[name] = np.ascontiguousarray(table, np.int32)
        setattr(self.handle, name.replace(".", "_"), array.ctypes.data_as(POINTER))

    def set_ranges(self, location: str, name: str, ranges: np.ndarray, inner: int = 0):
        if ranges.size and (ranges.min() < 0 or ranges.max() > self.counts[location]):
            raise ValueError(f"{location}.{name}: a range is not within 0..{self.counts[location]}")
        array = self.ranges[f"{location}.{name}"] = np.ascontiguousarray(ranges)
        setattr(self.handle, f"{location}_{name}", StencilSet(len(ranges), array.ctypes.data_as(POINTER), inner))

    def exchanger(self, function):
        def exchange(_context, count, fields, shapes):
            for i in range(count):
                location, levels, block = shapes[3 * i : 3 * i + 3]
                name = LOCATIONS[location]
                size = -(-self.counts[name] // block) * block * levels if block else 0
                function(name, np.ctypeslib.as_array(fields[i], (size,)))

        return exchange

    def levels_of(self, kind: str) -> int:
        return self.levels + (self.mesh.extra_half_levels if kind == "half" else 0)


def handle_type(mesh) -> type[ctypes.Structure]:
    fields = [("levels", ctypes.c_int32), *((PLURALS[name], ctypes.c_int32) for name in mesh.sets)]
    fields += [(name, POINTER) for name in tables(mesh)] + [(name, StencilSet) for name in sets(mesh)]
    fields += [("begin_exchange", BEGIN_EXCHANGE), ("end_exchange", END_EXCHANGE), ("context", ctypes.c_void_p)]
    return type(f"stencil_{mesh.name}", (ctypes.Structure,), {"_fields_": fields})


class Library:
    """The functions of a shared library as methods; names.METHODS has the names that are taken. Fields are float64
    arrays that lie as the target says; `store` and `load` move (level, point) arrays there and back."""

    def __init__(self, path: str | Path, mesh: str, layouts: dict[str, Layout], functions: dict, steps: int):
        """functions: the arguments of each. steps: between a point and the furthest neighbour that one reads."""
        self.library, self.mesh = ctypes.CDLL(str(path)), meshes.load(mesh)
        self.layouts, self.functions, self.steps = layouts, functions, steps

    def __getattr__(self, name: str):
        if name not in self.functions:
            raise AttributeError(f"{name} is no kernel (known: {', '.join(self.functions)})")
        return lambda grid, **arguments: self.call(name, grid, arguments)

    def call(self, name: str, grid: Grid, arguments: dict):
        wanted = self.functions[name]
        for given in arguments:
            if given not in {argument.name for argument in wanted}:
                raise TypeError(f"{name}: no argument {given} (known: {', '.join(a.name for a in wanted)})")
        values = [ctypes.byref(grid.handle)]
        for argument in wanted:
            if argument.name not in arguments:
                raise TypeError(f"{name}: the argument {argument.name} is missing")
            values.append(self.value(name, grid, argument, arguments[argument.name]))
        status = getattr(self.library, name)(*values)
        if status:
            raise RuntimeError(f"{name}: {next(key for key, value in RESULTS.items() if value == status)}")

    def value(self, name: str, grid: Grid, argument: Argument, value):
        if argument.location in ("real", "int"):
            return ctypes.c_double(value) if argument.location == "real" else ctypes.c_int32(value)
        if not isinstance(value, np.ndarray) or value.dtype != np.float64 or not value.flags.c_contiguous:
            raise TypeError(f"{name}: {argument.name} is no contiguous array of float64")
        size = self.size(grid, argument)
        if value.size != size:
            raise ValueError(f"{name}: {argument.name} has {value.size} numbers; expected {size}")
        if argument.written and not value.flags.writeable:
            raise ValueError(f"{name}: {argument.name} is written, and the array cannot be")
        return ctypes.c_void_p(value.ctypes.data)

    def size(self, grid: Grid, argument: Argument) -> int:
        levels = grid.levels_of(argument.kind) if argument.kind else 1
        if argument.location == "column":
            return levels
        points = grid.counts[argument.location]
        if argument.kind:
            block = self.layouts[argument.location].block
            points = -(-points // block) * block
        return levels * points * (len(self.mesh.relations[argument.relation].slots) if argument.relation else 1)

    def store(self, location: str, values: np.ndarray) -> np.ndarray:
        """(level, point), or more dimensions before them, as the target's layout; blocks are padded with zeros."""
        layout = self.layouts[location]
        if layout.fastest == "level":
            return np.array(np.swapaxes(values, -1, -2), np.float64, order="C").ravel()
        if layout.block == 1:
            return np.array(values, np.float64, order="C").ravel()
        *before, levels, points = values.shape
        blocks = -(-points // layout.block)
        padded = np.zeros((*before, levels, blocks * layout.block))
        padded[..., :points] = values
        return np.swapaxes(padded.reshape(*before, levels, blocks, layout.block), -2, -3).ravel()

    def load(self, location: str, stored: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """The inverse of `store`; shape: (..., level, point)."""
        layout = self.layouts[location]
        *before, levels, points = shape
        if layout.fastest == "level":
            return np.ascontiguousarray(np.swapaxes(stored.reshape(*before, points, levels), -1, -2))
        if layout.block == 1:
            return stored.reshape(shape)
        blocks = -(-points // layout.block)
        blocked = np.swapaxes(stored.reshape(*before, blocks, levels, layout.block), -2, -3)
        return np.ascontiguousarray(blocked.reshape(*before, levels, blocks * layout.block)[..., :points])
