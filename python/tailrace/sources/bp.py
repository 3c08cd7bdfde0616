"""An ADIOS2 dataset of Tailrace (BP4, BP5) as a source, also while a job writes it. Any record is read when it is
asked for; a look at the steps of the file, without their values, tells which record is in which."""

from __future__ import annotations

import time
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from ..streams.adios import UNLIMITED_ATTRIBUTE
from ..streams.adios_source import BpDataset
from ..streams.adios_step import DIMS_ATTRIBUTE, StepArray, words_in
from ..streams.errors import StreamError
from ..streams.job import Job
from .refusal import Refusal
from .variables import TYPES, attributes, check_region, delivered

LOOK_EVERY = 0.1  # seconds between two looks for new steps


class BpVariable:
    """Its records are spread over the steps in which it is; a fixed one is in one step."""

    def __init__(self, reader, name: str, array: StepArray, dims: list[str], grows: bool, own: dict[str, Any]) -> None:
        self.reader, self.name, self.dims, self.grows, self.own = reader, name, dims, grows, own
        self.inner = list(array.shape[1:] if grows else array.shape)
        self.code = array.dtype.kind + str(array.dtype.itemsize)
        self.type = "char" if array.is_text else TYPES.get(self.code, "string")
        self.records: list[int] = []  # of each step

    @property
    def shape(self) -> list[int]:
        return [sum(self.records), *self.inner] if self.grows else self.inner

    def header(self, name: str) -> dict[str, Any]:
        return {
            "name": name,
            "dims": self.dims,
            "shape": self.shape,
            "chunk": [1, *self.inner] if self.grows else [],
            "type": self.type,
            "attributes": attributes(self.own),
        }

    def read(self, start: list[int], count: list[int]) -> np.ndarray:
        check_region(self.dims, self.shape, start, count)
        if not self.grows:
            return self._of_step(len(self.records) - 1, start, count)
        parts = []
        for step, (end, records) in enumerate(zip(accumulate(self.records), self.records, strict=True)):
            first = max(start[0], end - records)
            last = min(start[0] + count[0], end)
            if first < last:
                begin = first - (end - records)
                parts.append(self._of_step(step, [begin, *start[1:]], [last - first, *count[1:]]))
        return np.concatenate(parts)

    def _of_step(self, step: int, start: list[int], count: list[int]) -> np.ndarray:
        values = np.asarray(self.reader.read(self.name, start=start, count=count, step_selection=[step, 1]))
        if self.type == "char":
            return values.astype("i1").view("S1").reshape(count)
        return delivered(values.reshape(count), self.type, self.code)


class BpSource:
    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self.dataset = BpDataset(self.path, 0.0, Job(self.path))
        self.variables: dict[str, BpVariable] = {}
        self.reader = None
        self._look()

    def extend(self, seconds: float, needed: dict[str, int]) -> None:
        """Waits for new steps, for at most `seconds`."""
        end = time.monotonic() + seconds
        known = self._records()
        while self.more:
            self._look()
            if self._records() != known or time.monotonic() > end:
                return
            time.sleep(min(LOOK_EVERY, max(0.0, end - time.monotonic())))

    def close(self) -> None:
        if self.reader is not None:
            self.reader.close()

    def _records(self) -> int:
        return sum(sum(one.records) for one in self.variables.values() if one.grows)

    def _look(self) -> None:
        found: dict[str, list[StepArray]] = {}
        try:
            was_over = self.dataset._is_over()  # asked before, so that no step is missed that came in between
            with self.dataset.open() as opened:
                while (status := self.dataset.begin(opened, 0.0)) == self.dataset.status.OK:
                    for name, description in opened.available_variables().items():
                        found.setdefault(name, []).append(StepArray(None, name, description))
                    opened.end_step()
            self.close()
            self.reader = self.dataset.adios2.FileReader(str(self.path))
            named = self.reader.available_attributes()
        except (RuntimeError, ValueError, StreamError) as error:
            raise Refusal(f"it cannot be opened: {error}") from error
        given = {name: self.reader.read_attribute(name) for name in named}
        self.more = status == self.dataset.status.NotReady and not was_over
        self.variables = {name: self._variable(name, arrays, given) for name, arrays in found.items()}

    def _variable(self, name: str, arrays: list[StepArray], given: dict[str, Any]) -> BpVariable:
        unlimited = words_in(given.get(UNLIMITED_ATTRIBUTE, ""))
        dims = words_in(given.get(f"{name}/{DIMS_ATTRIBUTE}", ""))
        if len(dims) != len(arrays[0].shape):
            dims = [f"{name}_{n}" for n in range(len(arrays[0].shape))]  # not of Tailrace
        own = {key[len(name) + 1 :]: value for key, value in given.items() if key.startswith(f"{name}/")}
        own.pop(DIMS_ATTRIBUTE, None)
        grows = bool(dims) and dims[0] in unlimited
        variable = BpVariable(self.reader, name, arrays[0], dims, grows, own)
        variable.records = [array.shape[0] if grows else 1 for array in arrays]
        return variable
