"""Records that come one after the other: those that a user's function yields, and those of a running job's stream."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import xarray as xr

from .refusal import Refusal
from .variables import Variable, check_region, has_dates

ALWAYS_KEPT = 64  # values of a record, such as its time and the bounds of it, which are kept for all records
TIME = "time"


class GrowingVariable:
    """All values of the records that were not given back. The growing dim comes first."""

    def __init__(self, name: str, dim: str, first: Variable) -> None:
        self.name, self.dim, self.first = name, dim, first
        self.records: list[np.ndarray] = []
        self.given_back = 0

    def add(self, values: np.ndarray) -> None:
        if list(values.shape[1:]) != self.first.shape[1:]:
            raise Refusal(
                f"{self.name}: a record has the shape {list(values.shape[1:])}; expected {self.first.shape[1:]}, "
                "that of the first"
            )
        self.records.extend(values)

    def give_back(self, before: int) -> None:
        if int(np.prod(self.first.shape[1:])) <= ALWAYS_KEPT:
            return
        for number in range(self.given_back, min(before, len(self.records))):
            self.records[number] = np.empty(0)
            self.given_back = number + 1

    def header(self, name: str) -> dict[str, Any]:
        return self.first.header(name) | {"shape": [len(self.records), *self.first.shape[1:]]}

    def read(self, start: list[int], count: list[int]) -> np.ndarray:
        check_region(self.first.dims, [len(self.records), *self.first.shape[1:]], start, count)
        if start[0] < self.given_back:
            raise Refusal(f"the records before {self.given_back} were given back", "passed")
        cells = tuple(slice(begin, begin + length) for begin, length in zip(start[1:], count[1:], strict=True))
        return np.stack([one[cells] for one in self.records[start[0] : start[0] + count[0]]])


class GrowingSource:
    """Takes a record from `records` only when it is asked for one, in a thread, so that a wait can end without it."""

    def __init__(self, records: Iterator[Any], told: Callable[[BaseException], str]) -> None:
        self.records, self.told = records, told
        self.more = True
        self.variables: dict[str, GrowingVariable | Variable] = {}
        self.units: dict[str, dict[str, str]] = {}  # of dates: those of the first record hold for all
        self.asked: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self.came: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.is_awaited = False
        threading.Thread(target=self._take, daemon=True).start()

    def extend(self, seconds: float, needed: dict[str, int]) -> None:
        """Waits for one record, for at most `seconds`. `needed`: by dim, the first record that is still needed."""
        for variable in self.variables.values():
            if isinstance(variable, GrowingVariable):
                variable.give_back(needed.get(variable.dim, 0))
        if not self.more:
            return
        if not self.is_awaited:
            self.asked.put(True)
            self.is_awaited = True
        try:
            came = self.came.get(timeout=max(seconds, 0.001))
        except queue.Empty:
            return
        self.is_awaited = False
        if isinstance(came, BaseException):
            self.more = False
            if not isinstance(came, StopIteration):
                raise Refusal(self.told(came)) from came
            return
        self._add(as_dataset(came))

    def close(self) -> None:
        self.asked.put(False)

    def _take(self) -> None:
        while self.asked.get():
            try:
                self.came.put(next(self.records))
            except BaseException as error:  # StopIteration too, and SystemExit of a user's function
                self.came.put(error)

    def _add(self, record: xr.Dataset) -> None:
        grown = {str(dim) for dim in record.dims if is_time(record, str(dim))}
        if not grown:
            raise Refusal(f"a record has no time; expected a coordinate {TIME!r}, or one with the units of a time")
        for given_name, given in record.variables.items():
            name = str(given_name)
            dims = [str(dim) for dim in given.dims if dim in grown]
            variable = Variable(name, self._in_units_of_first(name, given))
            if not dims:
                self.variables.setdefault(name, variable)
                continue
            if variable.dims[0] != dims[0]:
                variable = Variable(name, variable.variable.transpose(dims[0], ...))
            known = self.variables.setdefault(name, GrowingVariable(name, dims[0], variable))
            if not isinstance(known, GrowingVariable):
                raise Refusal(f"{name}: it has a time in this record, and had none in an earlier one")
            known.add(variable.read([0] * len(variable.shape), variable.shape))

    def _in_units_of_first(self, name: str, given: xr.Variable) -> xr.Variable:
        if not has_dates(given):
            return given
        given = given.copy(deep=False)
        given.encoding = self.units.get(name, {key: given.encoding[key] for key in UNITS if key in given.encoding})
        if given.dtype.kind != "m":
            given.encoding["dtype"] = "f8"
        encoded = xr.conventions.encode_cf_variable(given, name=name)
        self.units.setdefault(name, {key: encoded.attrs[key] for key in UNITS if key in encoded.attrs})
        return encoded


UNITS = ("units", "calendar")


def is_time(record: xr.Dataset, dim: str) -> bool:
    if dim == TIME or dim.startswith(f"{TIME}_"):
        return True
    coordinate = record.variables.get(dim)
    return coordinate is not None and (has_dates(coordinate) or " since " in str(coordinate.attrs.get("units", "")))


def as_dataset(record: Any) -> xr.Dataset:
    """A record with a dim of time, of whatever a user's function may yield."""
    if isinstance(record, xr.DataArray):
        if record.name is None:
            raise Refusal("the function yielded a DataArray without a name; expected DataArray(..., name='tas')")
        record = record.to_dataset()
    elif isinstance(record, tuple) and len(record) == 2 and isinstance(record[1], dict):
        time, arrays = record
        record = xr.Dataset({name: without_dims(name, array) for name, array in arrays.items()}, {TIME: time})
    if not isinstance(record, xr.Dataset):
        raise Refusal(
            f"the function yielded a {type(record).__name__}; expected a Dataset or DataArray of xarray, or a pair of "
            "a time and arrays by name"
        )
    return record.expand_dims(TIME) if TIME in record.coords and not record[TIME].dims else record


def without_dims(name: str, array: Any) -> Any:
    """Dims of its own for a plain array; others may have another shape."""
    if isinstance(array, xr.DataArray | xr.Variable | tuple):
        return array
    values = np.asarray(array)
    return [f"{name}_{n}" for n in range(values.ndim)], values
