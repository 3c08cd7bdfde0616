"""Reads input as a server does, through the program record_dump (src/input/tests/record_dump.cpp)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np

from support.harness import BUILD

PROGRAMS = BUILD / "bindings" / "c"


class Refused(Exception):
    """A refusal of the reader; `code` is that of the error."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code


def grid(**axes: Any) -> dict[str, Any]:
    """A grid whose dims have a coordinate each: name=values, with the units and names that CF gives them."""
    known = {
        "lat": ("degrees_north", "latitude"),
        "lon": ("degrees_east", "longitude"),
        "lev": ("hPa", "air_pressure"),
    }
    coordinates = [
        {"name": name, "dims": [name], "units": known[name][0], "standard_name": known[name][1]}
        | {"values": np.asarray(values, float).tolist()}
        for name, values in axes.items()
        if name in known
    ]
    shape = [values if isinstance(values, int) else len(values) for values in axes.values()]
    return {"dims": list(axes), "shape": shape, "coordinates": coordinates}


def write(
    path: Path,
    values: np.ndarray,
    dims: dict[str, Any],
    attributes: dict[str, Any] | None = None,
    name: str = "t",
    kind: str = "NETCDF4",
    unlimited: str | None = None,
    **variable: Any,
) -> None:
    """A file with one variable; `dims`: their coordinates, or their lengths for those that have none."""
    known = {
        "time": {"units": "days since 2000-01-01"},
        "lat": {"units": "degrees_north"},
        "lon": {"units": "degrees_east"},
        "lev": {"units": "hPa"},
    }
    with netCDF4.Dataset(path, "w", format=kind) as data:
        for dim, coordinate in dims.items():
            length = coordinate if isinstance(coordinate, int) else len(coordinate)
            data.createDimension(dim, None if dim == unlimited else length)
            if not isinstance(coordinate, int):
                data.createVariable(dim, "f8", (dim,))[:] = coordinate
                data[dim].setncatts(known.get(dim, {}))
        attributes = dict(attributes or {})
        fill = attributes.pop("_FillValue", None)
        made = data.createVariable(name, values.dtype, tuple(dims), fill_value=fill, **variable)
        made.set_auto_maskandscale(False)
        made.setncatts({"units": "K"} | attributes)
        made[...] = values


class RecordDump:
    """An entry `forcing` with its fields, prepared. A refusal raises Refused."""

    def __init__(self, folder: Path, grid: dict[str, Any], files: list[str], fields: list[dict[str, Any]], **more: Any):
        grids = [grid, *more.get("more_grids", [])]
        self.folder, self.grids = folder, [grids[one.get("grid", 0)] for one in fields]
        task = {
            "folder": str(PROGRAMS),
            "directory": str(folder),
            "grid": grid,
            "files": files,
            "fields": fields,
        } | more
        self.process = subprocess.Popen(
            [PROGRAMS / "record_dump"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.prepared = []
        try:
            self.prepared = self._ask(task)
        except Refused:
            self.close()
            raise

    def __enter__(self) -> RecordDump:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait(30) == 0

    def _ask(self, question: dict[str, Any]) -> Any:
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise Refused(answer["error"], answer["code"])
        return answer

    def grow(self, seconds: float = 30.0) -> bool:
        """Waits for the next record of a stream. Whether further ones may come."""
        self.prepared = self._ask({"grow": seconds})
        return any(one["may_grow"] for one in self.prepared)

    def times(self, field: int = 0) -> list[float]:
        return [one["time"] for one in self.prepared[field]["records"]]

    def read(self, record: int, field: int = 0) -> tuple[np.ndarray, dict[str, Any]]:
        """The values of a record over the grid, and what was counted. Levels that come with it are in `levels`."""
        path = self.folder / "record.bin"
        counted = self._ask({"field": field, "record": record, "to": str(path)})
        prepared, grid = self.prepared[field], self.grids[field]
        shape = list(grid["shape"])
        if levels := prepared.get("levels"):
            shape[grid["dims"].index("lev")] = levels["count"]
        content, size = path.read_bytes(), int(np.prod(shape)) * np.dtype(prepared["type"]).itemsize
        if len(content) > size:
            counted["levels"] = np.frombuffer(content[size:], "f8").reshape(shape)
        return np.frombuffer(content[:size], prepared["type"]).reshape(shape), counted

    def values(self, field: int = 0) -> np.ndarray:
        return np.array([self.read(record, field)[0] for record in range(len(self.prepared[field]["records"]))])
