"""BP files of ADIOS2 for `tailrace convert`, as Tailrace writes them, read by the Python package adios2.

A variable names its dimensions in the attribute `NAME/__xarray_dimensions__` (or `NAME/_ARRAY_DIMENSIONS`), and has
others under `NAME/`. It grows by steps: along the first of these dimensions, or along one more before its own.
"""

from pathlib import Path
from typing import Any

import numpy as np

from tailrace._adios2 import adios2
from tailrace.convert.contents import Contents, ConversionError, Region, Variable, dims_of, fill_of

DIMENSIONS = "__xarray_dimensions__"
ALSO_DIMENSIONS = "_ARRAY_DIMENSIONS"
UNLIMITED = "__unlimited_dimensions__"
CODEC = "__tailrace_codec__"  # by what ADIOS2 compresses it
SIGNED = {f"int{bits}_t": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)}
TYPES = {"float": np.dtype("float32"), "double": np.dtype("float64")} | SIGNED
TYPES["char"] = np.dtype("S1")
TYPES |= {f"u{name}": np.dtype(f"u{dtype.name}") for name, dtype in SIGNED.items()}


def shapes_by_step(path: Path) -> dict[str, list[tuple[int, ...]]]:
    """The shape of each variable, in each step that has it.

    ADIOS2 2.12 tells them rightly only to a reader that goes from step to step: for a whole file, its `shape(step)`
    counts all steps in BP4, and those of the variable in BP5.
    """
    shapes: dict[str, list[tuple[int, ...]]] = {}
    with adios2.Stream(str(path), "r") as stream:
        # A writer that was killed left the file marked as one that still grows: nobody waits for more of it.
        while stream.begin_step(timeout=0.0) == adios2.bindings.StepStatus.OK:
            for name in stream.available_variables():
                shapes.setdefault(name, []).append(tuple(stream.inquire_variable(name).shape()))
            stream.end_step()
    return shapes


class BpReader:
    def __init__(self, path: Path):
        self.file = adios2.FileReader(str(path))
        self.known = self.file.available_variables()
        self.shapes = shapes_by_step(path)
        self.steps: dict[str, list[int]] = {}  # of a variable that grows: where the records of each step begin, and end
        self.owned: dict[str, dict[str, Any]] = {name: {} for name in ["", *self.known]}
        given = self.file.available_attributes()
        for full in given:
            owner, _, name = full.rpartition("/")
            if owner in self.known:
                self.owned[owner][name] = self._attribute(full)
            elif f"{owner}/{DIMENSIONS}" not in given:  # else of a variable without any record
                self.owned[""][full] = self._attribute(full)
        self.unlimited = set(_names(UNLIMITED, self.owned[""].pop(UNLIMITED, [])))
        self.variables = [self._variable(name) for name in self.known]

    def _attribute(self, full: str) -> Any:
        value = self.file.read_attribute(full)
        if isinstance(value, (str, list)):
            return value
        array = np.asarray(value)
        if array.dtype not in TYPES.values():
            raise ConversionError(f"attribute {full!r} is of the type {array.dtype}, which NetCDF does not have")
        # One number is a number, as in NetCDF: Tailrace writes `_FillValue` and others as lists of one, and only BP5
        # tells them from numbers.
        return array.reshape(-1)[0] if array.size == 1 else array

    def contents(self) -> Contents:
        grown = {one.dims[0] for one in self.variables if one.name in self.steps}
        return Contents(dims_of(self.variables, grown | self.unlimited), self.owned[""], self.variables)

    def _variable(self, name: str) -> Variable:
        kind = self.known[name]["Type"]
        attributes = dict(self.owned[name])
        also = attributes.pop(ALSO_DIMENSIONS, [])
        dims = tuple(_names(f"{name}/{DIMENSIONS}", attributes.pop(DIMENSIONS, also)))
        if kind == "string":
            return Variable(name, None, (), (), attributes=attributes)
        if kind not in TYPES:
            known = ", ".join(TYPES)
            raise ConversionError(
                f"variable {name!r} is of the type {kind}, which NetCDF does not have; known: {known}"
            )
        # A file that grows may have got steps since it was opened.
        shapes = self.shapes[name][: self.file.inquire_variable(name).steps()]
        shape = shapes[-1]
        by_step = len(dims) == len(shape) + 1
        if not by_step and len(dims) != len(shape):
            raise ConversionError(
                f"variable {name!r} has {len(shape)} dimensions and names {len(dims)}; expected the attribute "
                f"{name}/{DIMENSIONS} with their names, and before these one for the steps if it grows by them"
            )
        grows = by_step or (bool(dims) and (dims[0] in self.unlimited or (not self.unlimited and len(shapes) > 1)))
        attributes.pop(CODEC, None)
        fill = attributes.pop("_FillValue", None)
        if fill is not None:
            fill = fill_of(name, fill, TYPES[kind])
        if grows:
            counts = [1 if by_step else extents[0] for extents in shapes]
            self.steps[name] = [0, *np.cumsum(counts).tolist()]
            shape = (self.steps[name][-1], *(shape if by_step else shape[1:]))
        chunk = (1, *(max(extent, 1) for extent in shape[1:])) if grows and len(shape) > 1 else None
        return Variable(name, TYPES[kind], dims, shape, chunk, attributes, fill)

    def read(self, name: str, region: Region) -> np.ndarray:
        if self.known[name]["Type"] == "string":
            return np.asarray(self.file.read(name), dtype=object)
        if name not in self.steps:
            last = self.file.inquire_variable(name).steps() - 1
            return self._read_step(name, last, region)
        records, rest = region[0], region[1:]
        by_step = len(self.shapes[name][0]) == len(rest)
        found = []
        for step, (begin, end) in enumerate(zip(self.steps[name], self.steps[name][1:], strict=False)):
            first, behind = max(begin, records.start), min(end, records.stop)
            if first < behind:
                part = rest if by_step else (slice(first - begin, behind - begin), *rest)
                values = self._read_step(name, step, part)
                found.append(values[np.newaxis] if by_step else values)
        return np.concatenate(found)

    def _read_step(self, name: str, step: int, region: Region) -> np.ndarray:
        start = [part.start for part in region]
        count = [part.stop - part.start for part in region]
        values = self.file.read(name, start=start, count=count, step_selection=[step, 1])
        values = np.asarray(values).reshape(count)
        return values.view("S1") if self.known[name]["Type"] == "char" else values

    def close(self) -> None:
        self.file.close()


def _names(attribute: str, value: Any) -> list[str]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list):
        raise ConversionError(f"attribute {attribute!r} is {value!r}; expected names of dimensions")
    return names
