"""A variable as the protocol knows it: numbers or characters, with its dims and attributes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import xarray as xr

from .refusal import Refusal

# The names of types of numbers in the protocol.
TYPES = {
    "i1": "byte",
    "u1": "ubyte",
    "i2": "short",
    "u2": "ushort",
    "i4": "int",
    "u4": "uint",
    "i8": "int64",
    "u8": "uint64",
    "f4": "float",
    "f8": "double",
}
# The types in which they are delivered, where these differ.
DELIVERED = {"u2": "i4", "u4": "i8", "u8": "f8"}
# Other types that are delivered as one of these.
LIKE = {"b1": "i1", "f2": "f4"}
IN_HEADERS = ("_FillValue", "missing_value", "scale_factor", "add_offset", "units", "calendar")


class Readable(Protocol):
    """A variable of a source."""

    def header(self, name: str) -> dict[str, Any]: ...

    def read(self, start: list[int], count: list[int]) -> np.ndarray: ...


class Variable:
    def __init__(self, name: str, given: xr.Variable) -> None:
        self.variable = xr.conventions.encode_cf_variable(given, name=name) if has_dates(given) else given
        self.dims = [str(dim) for dim in self.variable.dims]
        self.shape = [int(length) for length in self.variable.shape]
        dtype = self.variable.dtype
        self.code = LIKE.get(dtype.kind + str(dtype.itemsize), dtype.kind + str(dtype.itemsize))
        self.type = TYPES.get(self.code, "string" if dtype.kind in "OU" else f"{dtype}")
        if dtype.kind == "S":
            self.type = "char"
            if dtype.itemsize > 1:  # texts of one length, whose characters are a dim in files
                self.dims.append(f"characters_of_{name}")
                self.shape.append(dtype.itemsize)

    def header(self, name: str) -> dict[str, Any]:
        chunks = self.variable.encoding.get("chunks") or self.variable.encoding.get("chunksizes") or []
        encoded = {key: value for key, value in self.variable.encoding.items() if key in IN_HEADERS}
        return {
            "name": name,
            "dims": self.dims,
            "shape": self.shape,
            "chunk": [int(one) for one in chunks] if len(chunks) == len(self.dims) else [],
            "type": self.type,
            "attributes": attributes({k: v for k, v in encoded.items() if v is not None} | self.variable.attrs),
        }

    def read(self, start: list[int], count: list[int]) -> np.ndarray:
        check_region(self.dims, self.shape, start, count)
        cells = tuple(slice(begin, begin + length) for begin, length in zip(start, count, strict=True))
        if self.type == "char":
            return self._characters(cells)
        return delivered(self.variable[cells].values, self.type, self.code)

    def _characters(self, cells: tuple[slice, ...]) -> np.ndarray:
        length = self.variable.dtype.itemsize
        if length == 1:
            return np.ascontiguousarray(self.variable[cells].values)
        texts = np.ascontiguousarray(self.variable[cells[:-1]].values)
        characters = texts.view("S1").reshape((*texts.shape, length))
        return np.ascontiguousarray(characters[..., cells[-1]])


def delivered(values: np.ndarray, type_name: str, code: str) -> np.ndarray:
    if type_name not in TYPES.values():
        raise Refusal(f"has the type {type_name}, which cannot be read")
    return np.ascontiguousarray(values, dtype=np.dtype(DELIVERED.get(code, code)))


def check_region(dims: list[str], shape: list[int], start: list[int], count: list[int]) -> None:
    if len(start) != len(shape) or len(count) != len(shape):
        raise Refusal(f"it has {len(shape)} dims; the request is for {len(count)}")
    for dim, length, begin, wanted in zip(dims, shape, start, count, strict=True):
        if begin < 0 or wanted < 1 or begin + wanted > length:
            raise Refusal(f"{wanted} cells from {begin} along {dim} are outside: it has {length}")


def has_dates(given: xr.Variable) -> bool:
    return given.dtype.kind in "mM" or (given.dtype == object and given.size > 0 and not isinstance(first(given), str))


def first(variable: xr.Variable) -> Any:
    return variable[(0,) * variable.ndim].values.item()


def attributes(given: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key): attribute(value) for key, value in given.items()}


def attribute(value: Any) -> Any:
    """A text, or a list of numbers; JSON has no NaN and no infinity, which are texts."""
    if isinstance(value, str | bytes):
        return value.decode(errors="replace") if isinstance(value, bytes) else value
    array = np.atleast_1d(np.asarray(value))
    if array.dtype.kind not in "biuf":
        return " ".join(str(one) for one in array.ravel())
    return [one if math.isfinite(one) else str(one) for one in array.astype(float).ravel().tolist()]
