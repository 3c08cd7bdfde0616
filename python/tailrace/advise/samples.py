"""Samples of the variables of a file: whole chunks, as a server would compress them. Files are only read."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import xarray

from ..plugins import hint_for
from .errors import AdviceError

CHUNK_BYTES = 4 << 20
CHUNKS = 4  # of a variable, evenly spread over its records and levels


@dataclass
class Sample:
    """`chunks`: of one type, in C order, the last two dims as in the file."""

    file: Path
    name: str
    units: str
    fill: float | None
    chunks: list[np.ndarray] = field(default_factory=list)

    @property
    def values(self) -> int:
        return sum(chunk.size for chunk in self.chunks)

    def is_valid(self, chunk: np.ndarray) -> np.ndarray:
        """The values with data, whose errors count."""
        valid = np.isfinite(chunk)
        return valid if self.fill is None else valid & (chunk != chunk.dtype.type(self.fill))


def samples_of(path: Path, names: Sequence[str] = ()) -> list[Sample]:
    """Samples of all real variables that are fields, or of those with these names."""
    with _opened(path) as data:
        known = [str(name) for name in data.data_vars]
        for name in names:
            if name not in known:
                raise AdviceError(f"{path}: has no variable {name!r}; expected one of {', '.join(known) or 'none'}")
        chosen = names or [name for name in known if _is_field(data[name], data)]
        for name in chosen:
            if data[name].dtype not in ("float32", "float64"):
                raise AdviceError(
                    f"{path}: {name} is stored as {data[name].dtype}, without loss; expected one of float32 or float64"
                )
            if data[name].size == 0:
                raise AdviceError(f"{path}: {name} has no values; expected a file with records")
        if not chosen:
            raise AdviceError(f"{path}: has no variable of float32 or float64 with values and two dimensions")
        return [_sample(path, data[name]) for name in chosen]


def _is_field(variable: xarray.DataArray, data: xarray.Dataset) -> bool:
    """Not a bound of a coordinate, nor a series."""
    bounds = {data[name].attrs.get("bounds", data[name].attrs.get("climatology")) for name in data.variables}
    is_real = variable.dtype in ("float32", "float64")
    return is_real and variable.ndim >= 2 and variable.size >= 64 and variable.name not in bounds


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[xarray.Dataset]:
    try:
        engine = "zarr" if path.is_dir() else None
        with xarray.open_dataset(path, engine=engine, mask_and_scale=False, decode_times=False, cache=False) as data:
            yield data
    except AdviceError:
        raise
    except Exception as error:  # of whichever library reads it
        why = re.split(r"\n|\. ", str(error))[0]  # the first sentence: xarray adds where its own manual is
        raise AdviceError(f"{path}: cannot be read as NetCDF or Zarr: {why}{hint_for(error)}") from None


def _sample(path: Path, variable: xarray.DataArray) -> Sample:
    fill = variable.attrs.get("_FillValue", variable.encoding.get("_FillValue", variable.attrs.get("missing_value")))
    fill = None if fill is None else float(np.asarray(fill).ravel()[0])
    sample = Sample(path, str(variable.name), str(variable.attrs.get("units", "")), fill)
    shape = _chunk_shape(variable.shape, variable.dtype.itemsize)
    counts = [-(-extent // size) for extent, size in zip(variable.shape, shape, strict=True)]
    total = int(np.prod(counts, dtype=np.int64))
    for number in np.unique(np.linspace(0, total - 1, min(CHUNKS, total)).round().astype(int)):
        corner = np.unravel_index(number, counts)
        region = tuple(slice(at * size, (at + 1) * size) for at, size in zip(corner, shape, strict=True))
        chunk = np.asarray(variable[region].values)
        sample.chunks.append(np.ascontiguousarray(chunk, chunk.dtype.newbyteorder("=")))
    return sample


def _chunk_shape(shape: tuple[int, ...], item: int) -> list[int]:
    """One record, and of it as many whole levels or rows as CHUNK_BYTES hold."""
    chunk = list(shape)
    if len(shape) > 2:
        chunk[0] = 1  # the records, or the levels of a field without time
    for d in range(len(chunk)):
        inner = int(np.prod(chunk[d + 1 :], dtype=np.int64)) * item
        chunk[d] = max(1, min(chunk[d], CHUNK_BYTES // inner))
        if chunk[d] > 1:
            break
    return chunk
