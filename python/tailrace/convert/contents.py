"""The contents of a file in any format, between a reader and a writer of `tailrace convert`.

Values and attributes are those in the file: numbers of their own types, packed ones packed, times as numbers.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

Region = tuple[slice, ...]

PIECE_BYTES = 16 << 20  # what is read, and written, at once, unless a chunk is larger


class ConversionError(Exception):
    """Why something cannot be converted, ready for the user."""

    code = "usage"


class FailedConversion(ConversionError):
    """The conversion began and could not be finished."""

    code = "resource"


@dataclass(frozen=True)
class Compression:
    codec: str  # zlib | zstd
    level: int
    shuffle: bool


@dataclass(frozen=True)
class Variable:
    name: str
    dtype: np.dtype | None  # None: texts of any length
    dims: tuple[str, ...]
    shape: tuple[int, ...]
    chunk: tuple[int, ...] | None = None  # None: in one piece
    attributes: dict[str, Any] = field(default_factory=dict)  # str, list of str, NumPy scalar or array
    fill: Any = None  # the attribute _FillValue
    compression: Compression | None = None

    @property
    def item_bytes(self) -> int:
        return self.dtype.itemsize if self.dtype is not None else 64  # a guess: nobody knows before they are read

    def grid(self) -> tuple[int, ...]:
        """The chunks of a format that has all in chunks: equal ones of some MiB where there were none."""
        if self.chunk is not None:
            return self.chunk
        chunk = [max(extent, 1) for extent in self.shape]
        for d, extent in enumerate(chunk):
            rest = int(np.prod(chunk[d + 1 :], dtype=np.int64)) * self.item_bytes
            if extent * rest <= PIECE_BYTES:
                break
            chunk[d] = max(1, PIECE_BYTES // rest)
            if chunk[d] > 1:
                break
        return tuple(chunk)


@dataclass
class Dimension:
    size: int
    unlimited: bool = False


@dataclass
class Contents:
    dims: dict[str, Dimension]
    attributes: dict[str, Any]
    variables: list[Variable]

    def bytes(self) -> int:
        return sum(int(np.prod(one.shape, dtype=np.int64)) * one.item_bytes for one in self.variables)


def dims_of(variables: list[Variable], unlimited: set[str]) -> dict[str, Dimension]:
    """The dimensions of a format in which they have no length of their own."""
    dims: dict[str, Dimension] = {}
    for variable in variables:
        for name, size in zip(variable.dims, variable.shape, strict=True):
            if dims.setdefault(name, Dimension(size)).size != size:
                raise ConversionError(
                    f"variable {variable.name!r} has {size} cells along {name!r}, and another one {dims[name].size}"
                )
    for name in unlimited:
        dims.setdefault(name, Dimension(0)).unlimited = True
    return dims


def fill_of(owner: str, value: Any, dtype: np.dtype | None) -> Any:
    """The attribute _FillValue of the variable `owner`, of its type: what others wrote may be anything."""
    if dtype is None and isinstance(value, str):
        return value
    if dtype is not None and dtype.kind == "S":
        content = value.encode() if isinstance(value, str) else value
        if isinstance(content, bytes) and len(content) <= 1:
            return content
    elif dtype is not None and not isinstance(value, (str, bytes, bool)):
        array = np.asarray(value)
        if array.ndim == 0 and array.dtype.kind in "iuf":
            with np.errstate(all="ignore"):
                fill = array.astype(dtype)[()]
            if dtype.kind == "f" or fill == array:
                return fill
    kind = "a text" if dtype is None else "one character" if dtype.kind == "S" else f"one number of type {dtype}"
    raise ConversionError(f"variable {owner!r}: attribute '_FillValue' is {value!r}; expected {kind}")


class Reader(Protocol):
    def contents(self) -> Contents: ...

    def read(self, name: str, region: Region) -> np.ndarray: ...

    def close(self) -> None: ...


class Writer(Protocol):
    in_parallel: bool  # whether several processes may write chunks of their own

    def write(self, name: str, region: Region, values: np.ndarray) -> None: ...

    def close(self) -> None: ...


def pieces(variable: Variable) -> Iterator[Region]:
    """Regions of whole chunks, of some 16 MiB, that cover the variable once."""
    step = list(variable.grid())
    for d in reversed(range(len(step))):
        whole = int(np.prod(step, dtype=np.int64)) * variable.item_bytes
        if whole >= PIECE_BYTES:
            break
        chunks = min(max(1, PIECE_BYTES // whole), -(-variable.shape[d] // step[d]))
        step[d] *= max(chunks, 1)
        if step[d] < variable.shape[d]:
            break
    starts = [range(0, extent, width) for extent, width in zip(variable.shape, step, strict=True)]
    for corner in itertools.product(*starts):
        places = zip(corner, step, variable.shape, strict=True)
        yield tuple(slice(begin, min(begin + width, extent)) for begin, width, extent in places)
