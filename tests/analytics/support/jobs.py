"""Jobs whose model puts given arrays, so that diagnostics can be compared with NumPy on the whole arrays.

    case = Case(3, servers(2)).grid("g", "zyx", shape, parts={"y": 3}).field("a", values, grid="g")
    data = case.compute(folder, {"m": "mean(a)"})

Values have a leading dimension of steps (one per second). Those on a partial grid have a second one, whose
contributions the ranks add in turn.
"""

import json
import sys
from pathlib import Path

import numpy as np
import xarray as xr

from support.harness import CONFIGURATION, Result, Running, Servers, mpi_environment, write_configuration
from support.harness import servers as server_ranks
from support.reading import read

MODEL = Path(__file__).parent / "model.py"


class Case:
    def __init__(self, ranks: int = 1, serving: Servers | None = None, steps: int = 2):
        self.ranks, self.steps = ranks, steps
        self.serving = serving or server_ranks(1)
        self.grids: dict[str, dict] = {}
        self.fields: list[dict] = []
        self.arrays: dict[str, np.ndarray] = {}
        self.options: dict[str, float] = {}
        self.by_blocks = False  # fields are put block by block

    def grid(self, name: str, dims, shape, kind: str = "block", coordinates: dict | None = None, **more) -> "Case":
        """`coordinates`: name -> values, or (values, units), or (values, units, further arguments of io.coordinate).
        `parts`: dim -> number of blocks along it; or `blocks`: by rank, a list of [offset, count]."""
        listed = []
        for key, given in (coordinates or {}).items():
            values, units, *further = given if isinstance(given, tuple) else (given, "m")
            one = {"name": key, "values": [float(value) for value in values], "units": units}
            listed.append(one | (further[0] if further else {}))
        self.grids[name] = dict(name=name, kind=kind, dims=list(dims), shape=list(shape), coordinates=listed) | more
        return self

    def field(self, name: str, values, grid: str = "", units: str = "", **more) -> "Case":
        self.fields.append(dict(name=name, grid=grid, units=units) | more)
        self.arrays[name] = np.ascontiguousarray(values)
        return self

    def configuration(self, diagnostics: dict, output=None, fields=None, **sections) -> dict:
        """Each diagnostic (an expression, or its section) is written at each step, unless `output` is given."""
        described = {name: {"is": one} if isinstance(one, str) else one for name, one in diagnostics.items()}
        if output is None:
            output = [{"field": name, "time": "snapshot", "every": "1 step"} for name in described]
        if isinstance(output, list):
            output = {"out.nc": {"write_every": "1 h", "compression": "none", "variables": output}}
        if fields is None:
            fields = {"state": {"every": "1 step", "names": [field["name"] for field in self.fields]}}
        return {
            "fields": fields,
            "diagnostics": described,
            "output": output,
            "model_time": {"calendar": "none"},
        } | sections

    def start(self, folder: Path, config: dict, environment: dict | None = None) -> Running:
        folder.mkdir(parents=True, exist_ok=True)
        write_configuration(folder / CONFIGURATION, config, self.serving)
        case = {"grids": list(self.grids.values()), "fields": self.fields, "options": self.options}
        case |= {"steps": self.steps, "by_blocks": self.by_blocks}
        (folder / "case.json").write_text(json.dumps(case))
        np.savez(folder / "arrays.npz", **self.arrays)
        ranks = self.ranks + (self.serving.ranks if self.serving.mode == "dedicated" else 0)
        command = ["mpirun", "-n", str(ranks), sys.executable, str(MODEL), "."]
        return Running(command, folder, mpi_environment(OPENBLAS_NUM_THREADS="1", **(environment or {})))

    def run(self, folder: Path, config: dict, **keywords) -> Result:
        with self.start(folder, config, **keywords) as running:
            return running.wait()

    def compute(self, folder: Path, diagnostics: dict, **keywords) -> xr.Dataset:
        """The values of the diagnostics, time first."""
        return read(self.run(folder, self.configuration(diagnostics, **keywords)).finished().path("out.nc"))


def worst(got: np.ndarray, expected: np.ndarray, relative: float) -> str:
    """The largest difference; empty if both are equal: NaN and infinities in the same places, other values within
    `relative` (0: the same bits, except the sign of zeros). A difference is relative to the larger of the value and
    the median of the array."""
    got, expected = np.asarray(got, float), np.asarray(expected, float)
    if got.shape != expected.shape:
        return f"has the shape {got.shape}, expected {expected.shape}"
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    finite = np.isfinite(got) & np.isfinite(expected)
    sizes = np.abs(expected[np.isfinite(expected)])
    scale = np.maximum(np.abs(expected), np.median(sizes) if sizes.size else 0.0)
    with np.errstate(invalid="ignore"):
        near = finite & (np.abs(got - expected) <= relative * scale)
    bad = ~(same | near)
    if not bad.any():
        return ""
    place = tuple(int(i) for i in np.argwhere(bad)[0])
    return f"{bad.sum()} of {bad.size} values differ, first at {place}: {got[place]!r}, expected {expected[place]!r}"
