"""The records of a dataset with one or several growing dimensions, in the order in which they ended."""

from dataclasses import dataclass, field

import numpy as np
import xarray as xr

from .selection import Selection


@dataclass
class Position:
    """How many records of each growing dimension were passed."""

    given: dict[str, int] = field(default_factory=dict)

    def go_behind(self, step: dict[str, int]) -> None:
        for dim, number in step.items():
            self.given[dim] = number + 1

    def passed(self) -> int:
        return sum(self.given.values())

    def last(self) -> str:
        return ", ".join(f"{dim}: {count}" for dim, count in sorted(self.given.items())) or "no record"


def ends_of(raw: xr.Dataset, dim: str) -> np.ndarray:
    """When each record ended, in the units of its time coordinate; its number where it has none."""
    if dim not in raw.variables:
        return np.arange(raw.sizes[dim], dtype=float)
    time = raw.variables[dim]
    name = time.attrs.get("bounds", time.encoding.get("bounds"))
    if name in raw.variables:
        return np.asarray(raw.variables[name].values, dtype=float)[:, -1]
    return np.asarray(time.values, dtype=float)


@dataclass(frozen=True)
class NewRecords:
    """Those of a snapshot that a position has not passed, as steps: records that end at the same time are one."""

    raw: xr.Dataset  # not decoded, values lazy
    dims: tuple[str, ...]  # that grow
    decodes: bool = True  # as xarray does: times to a nanosecond, and packed values

    def steps(self, position: Position) -> list[dict[str, int]]:
        at: dict[float, dict[str, int]] = {}
        for dim in self.dims:
            first = position.given.get(dim, 0)
            if self.raw.sizes[dim] <= first:
                continue
            for number, end in enumerate(ends_of(self.raw, dim)[first:], start=first):
                at.setdefault(float(end), {})[dim] = number
        return [at[end] for end in sorted(at)]

    def read(self, step: dict[str, int], selection: Selection, source: str) -> xr.Dataset:
        """One step, read and decoded; variables along dimensions that have no record in it left out."""
        others = [dim for dim in self.dims if dim not in step]
        raw = self.raw.drop_dims(others).isel({dim: slice(number, number + 1) for dim, number in step.items()})
        if selection.fields is not None:
            missing = [name for name in selection.fields if name in self.raw.variables and name not in raw.variables]
            selection = Selection([name for name in selection.fields if name not in missing], selection.region)
        found = selection.of(raw, source).load()
        return xr.decode_cf(found) if self.decodes else found

    def has_any(self, step: dict[str, int], selection: Selection) -> bool:
        """Whether a field that is asked for has a record in the step."""
        if selection.fields is None:
            return True
        known = self.raw.variables
        return any(dim in step for name in selection.fields if name in known for dim in known[name].dims)
