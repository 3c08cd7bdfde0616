"""The coordinate of a dimension along collections, from a file: YAC knows only how many members a collection has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tailrace.weights.errors import WeightsError
from tailrace.weights.reading import opened, safely, values_of

from .couples import near
from .errors import CouplingError
from .metadata import OWN

OF_THE_FILE = ("_FillValue", "missing_value", "scale_factor", "add_offset", "bounds", "formula_terms")


class Levels:
    """`dim`: of this component; `entry`: of `yac.levels`. Raises CouplingError."""

    def __init__(self, dim: str, entry: dict[str, str]):
        self.dim, self.place, self.what = dim, entry["place"], f"{entry['variable']} of {entry['file']}"
        try:
            self.values, attributes = safely(Path(entry["file"]), lambda path: _read(path, entry["variable"]))
        except WeightsError as error:
            raise CouplingError(f"{self.place}  yac.levels.{dim}: {error}") from None
        self._own = {name: str(attributes.pop(name)) for name in OWN if name in attributes}
        self._attributes = attributes

    def declare(self, io: Any, grid: str, size: int) -> None:
        """To a session that knows the grid by that name, with `size` levels."""
        if len(self.values) != size:
            raise CouplingError(
                f"{self.place}  yac.levels.{self.dim}: {self.what} has {len(self.values)} values, but YAC couples "
                f"fields with {size} levels; expected as many, or another name for their dimension "
                "(yac.fields.FIELD.levels)"
            )
        io.coordinate(grid, self.dim, self.values, attributes=self._attributes, **self._own)


def _read(path: Path, name: str) -> tuple[np.ndarray, dict[str, Any]]:
    with opened(path) as file:
        if name not in file.variables:
            raise WeightsError(f"{path}: there is no variable {name}{near(name, file.variables)}")
        values = values_of(file, name, dims=1).astype(np.float64)
        variable = file.variables[name]
        attributes = {key: variable.getncattr(key) for key in variable.ncattrs() if key not in OF_THE_FILE}
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise WeightsError(f"{path}: variable {name}: value {int(bad[0])} is not a number")
    return values, attributes
