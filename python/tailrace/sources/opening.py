"""Finds what a file is, and opens it."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import xarray as xr

from .classic_length import check_length
from .dataset import DatasetSource
from .function import load_function, told
from .growing import GrowingSource
from .refusal import Refusal
from .variables import Readable

REFERENCES = (".json", ".parq")  # to the chunks of other files, as kerchunk makes them
GRIB = (".grib", ".grib1", ".grib2", ".grb", ".grb1", ".grb2")


class Source(Protocol):
    variables: dict[str, Readable]
    more: bool

    def extend(self, seconds: float, needed: dict[str, int]) -> None: ...

    def close(self) -> None: ...


class Opener:
    """`function`: a user's, as `module:function` or `file.py:function`. It is loaded with the first file, so that what
    is wrong with it is an answer. `is_stream`: files are names of streams over SST."""

    def __init__(self, function: str | None = None, is_stream: bool = False) -> None:
        self.name = function
        self.is_stream = is_stream
        self.function: Any = None

    def open(self, file: str) -> Source:
        if self.is_stream or file.endswith(".sst"):
            from .stream import records_of_stream

            return self._begun(GrowingSource(records_of_stream(file), self.told))
        if self.name is not None:
            return self._from_function(file)
        if "://" not in file and not Path(file).exists():
            raise Refusal(f"{os.strerror(2)}", "absent")
        if (Path(file) / "md.idx").exists() or file.rstrip("/").endswith(".bp"):
            from .bp import BpSource

            return BpSource(file)
        if Path(file).is_file():
            check_length(file)
        return DatasetSource(open_with_xarray(file))

    def _from_function(self, file: str) -> Source:
        if self.function is None:
            self.function = load_function(self.name or "")
        given = self.function(file)
        if isinstance(given, Iterator):
            return self._begun(GrowingSource(given, self.told))
        if not isinstance(given, xr.Dataset):
            raise Refusal(f"the function returned a {type(given).__name__}; expected an xarray Dataset")
        return DatasetSource(given)

    def _begun(self, source: GrowingSource) -> GrowingSource:
        """With the first record: without one there is no header."""
        while source.more and not source.variables:
            source.extend(60.0, {})
        if not source.variables:
            raise Refusal("it ended without a record")
        return source

    def told(self, error: BaseException) -> str:
        file = (
            inspect.getsourcefile(self.function) if self.function is not None else (self.name or "").rpartition(":")[0]
        )
        return told(error, file)


def open_with_xarray(file: str) -> xr.Dataset:
    ending = Path(file.rstrip("/")).suffix.lower()
    if ending in REFERENCES:
        return xr.open_dataset(file, engine="kerchunk", open_dataset_options={"decode_cf": False})
    if Path(file).is_dir() or ending == ".zarr":
        with warnings.catch_warnings():  # of a store whose metadata are not consolidated, which is as good
            warnings.simplefilter("ignore", RuntimeWarning)
            return xr.open_zarr(file, decode_cf=False, chunks=None)
    if ending in GRIB:  # without an index, which would be written beside the file
        return xr.open_dataset(file, engine="cfgrib", decode_cf=False, cache=False, backend_kwargs={"indexpath": ""})
    return xr.open_dataset(file, decode_cf=False, cache=False)
