"""A Dataset of xarray as a source; all its records are there."""

from __future__ import annotations

import xarray as xr

from .variables import Readable, Variable


class DatasetSource:
    more = False

    def __init__(self, data: xr.Dataset) -> None:
        self.data = data
        self.variables: dict[str, Readable] = {
            str(name): Variable(str(name), one) for name, one in data.variables.items()
        }

    def extend(self, seconds: float, needed: dict[str, int]) -> None:
        """There is nothing to wait for."""

    def close(self) -> None:
        self.data.close()
