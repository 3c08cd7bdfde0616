"""Selects the requested part of each step."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import xarray as xr

from .errors import StreamError

# Attributes by which a variable names others that it is not complete without.
NAMING_OTHERS = ("bounds", "climatology", "coordinates", "ancillary_variables", "grid_mapping", "cell_measures", "mesh")


def hint(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f" Did you mean {near[0]!r}?" if near else f" (known: {', '.join(sorted(known))})"


@dataclass(frozen=True)
class Selection:
    fields: Sequence[str] | None = None
    region: Mapping[str, object] = field(default_factory=dict)

    def of(self, raw: xr.Dataset, source: str) -> xr.Dataset:
        """The part of a dataset as it lies in the file (not decoded); lazy values stay lazy."""
        return self._cut(self._with_fields(raw, source), source)

    def _with_fields(self, raw: xr.Dataset, source: str) -> xr.Dataset:
        if self.fields is None:
            return raw
        for name in self.fields:
            if name not in raw.variables:
                known = [str(one) for one in raw.variables]
                raise StreamError(f"{source}: there is no field {name!r}.{hint(name, known)}")
        kept: dict[str, None] = {}
        waiting = list(self.fields)
        while waiting:
            name = waiting.pop()
            if name in kept or name not in raw.variables:
                continue
            kept[name] = None
            variable = raw.variables[name]
            waiting += [str(dim) for dim in variable.dims]
            for attribute in NAMING_OTHERS:
                words = variable.attrs.get(attribute, variable.encoding.get(attribute, ""))
                waiting += [word for word in str(words).split() if not word.endswith(":")]
        return raw[[name for name in raw.variables if name in kept]]

    def _cut(self, raw: xr.Dataset, source: str) -> xr.Dataset:
        for dim, part in self.region.items():
            if dim not in raw.dims:
                if self.fields is not None:
                    continue  # of fields that do not lie along it
                known = [str(one) for one in raw.dims]
                raise StreamError(f"{source}: there is no dimension {dim!r} to cut.{hint(str(dim), known)}")
            raw = raw.isel({dim: self._positions(raw, str(dim), part)})
        return raw

    def _positions(self, raw: xr.Dataset, dim: str, part):
        """By value where the dimension has a coordinate, else by position."""
        if dim not in raw.variables or raw.variables[dim].dims != (dim,):
            return part
        values = np.asarray(raw.variables[dim].values)
        if not isinstance(part, slice):
            return (
                int(np.abs(values - part).argmin())
                if np.ndim(part) == 0
                else list(dict.fromkeys(int(np.abs(values - one).argmin()) for one in part))
            )
        if part.step is not None:
            within = self._positions(raw, dim, slice(part.start, part.stop))
            return slice(within.start, within.stop, part.step)
        low = -np.inf if part.start is None else min(part.start, np.inf if part.stop is None else part.stop)
        high = np.inf if part.stop is None else max(part.stop, low)
        inside = np.flatnonzero((values >= low) & (values <= high))
        return slice(int(inside[0]), int(inside[-1]) + 1) if inside.size else slice(0, 0)
