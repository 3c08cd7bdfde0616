#!/usr/bin/env python3
"""How close the rows of a regridding come to the bandwidth of the memory, what set-up takes for many ranks, and what a
HEALPix pyramid of a field on an icosahedron costs, compared with `cdo remap` after the run and with a program that YAC
alone couples to the model."""

import importlib.util
import shutil
import subprocess
import sys
import time
from pathlib import Path

import netCDF4
from support import jobs
from support.results import Results, arguments

CASES = {
    "float64_1": "float64, a map",
    "float64_1_missing": "float64, a map with missing values",
    "float64_32": "float64, 32 levels",
    "float64_32_missing": "float64, 32 levels with missing values",
    "float32_1": "float32, a map",
    "float32_1_missing": "float32, a map with missing values",
    "float32_32": "float32, 32 levels",
    "float32_32_missing": "float32, 32 levels with missing values",
    "float32_10": "float32, 10 levels",
}
# Times of STREAM's triad for as many bytes: half of its bandwidth.
HALF = 2.0
# The most that the lists of who needs what may take, of the values that they route in a day of hourly maps.
LISTS = 0.01
RECORDS = 24


def of_speed(results: Results, figures: dict[str, dict[str, float]]) -> None:
    for name, words in CASES.items():
        stream, one, two = (figures[key]["median"] for key in ("stream_by_1", f"{name}_by_1", f"{name}_by_2"))
        note = f"{2**20 / one:.1f} of {2**20 / stream:.1f} GB/s"
        results.add(f"rows of {words}", one / stream, "triads", HALF, note)
        results.add("by two threads", two / one, "of the time of one", 0.6)


def of_setup(results: Results, setups: list[list[str]]) -> list[dict[str, float]]:
    names = ("ranks", "needs", "routes", "rows", "lists", "cells")
    seen = [dict(zip(names, map(float, one), strict=True)) for one in setups]
    for one in seen:
        seconds = one["needs"] + one["routes"]
        note = f"{one['routes']:.4f} s to find who has them; rows take {one['rows'] / 2**20:.1f} MiB"
        results.add(f"{one['ranks']:.0f} ranks: cells that a server of 40 ranks needs", seconds, "s", 1.0, note)
        share = one["lists"] / (one["cells"] * 8 * RECORDS)
        results.add(f"lists of who sends them, of {RECORDS} maps", 100 * share, "%", 100 * LISTS)
    return seen


LEVEL, COARSER = 7, 3  # of HEALPix
LEVELS, EVERY = 10, 6  # of the field, and samples of a mean
CONFIGURATION = """\
tailrace: 1
servers: {{mode: {mode}, report: false}}
fields: {{state: {{every: 1 step, names: [t]}}}}
regrid: {{cache: {cache}}}
output:
{output}
"""
PYRAMID = f"""\
  healpix.nc:
    regrid: {{to: {{healpix: {{level: {LEVEL}}}}}, method: conservative}}
    pyramid: {{levels: {COARSER}}}
    variables: [{{field: t, time: mean, every: {EVERY * 600} s}}]
"""
NATIVE = f"""\
  native.nc: {{variables: [{{field: t, time: mean, every: {EVERY * 600} s}}]}}
"""


class Model:
    """The icosahedron: one rank, and a server on the next core."""

    def __init__(self, here: Path, steps: int, divisions: int) -> None:
        self.here, self.steps, self.divisions = here, steps, divisions

    def run(self, output: str, sweeps: int, mode: str = "dedicated, count: 1") -> tuple[float, float, float]:
        """Seconds of the steps, of these on the processor, and until the files are finished."""
        text = CONFIGURATION.format(mode=mode, cache=self.here / "weights", output=output)
        (self.here / "run.yaml").write_text(text)
        for path in self.here.glob("*.nc"):
            path.unlink()
        words = ["run.yaml", self.steps, self.divisions, LEVELS, sweeps]
        done = jobs.run([jobs.program("icosahedron"), *words], 1 if mode == "off" else 2, self.here)
        (steps,), ((whole,),) = done.of("steps"), done.of("done")
        return float(steps[0]), float(steps[1]), float(whole)


def remapped(here: Path, cells: int) -> float:
    """Seconds that CDO takes for the finest level, with weights that are there. It does not read the mesh, so it gets a
    grid with as many cells, which is all that it needs."""
    (weights,) = (here / "weights").glob("*.nc")
    begin = time.perf_counter()
    remap, read = f"remap,r{12 * 4**LEVEL}x1,{weights}", [f"-setgrid,r{cells}x1", "-selname,t"]
    command = ["cdo", "-s", "-f", "nc4", remap, *read, "native.nc", "by_cdo.nc"]
    subprocess.run(command, cwd=here, check=True, capture_output=True)
    return time.perf_counter() - begin


def coarsened(here: Path) -> float:
    """Seconds that NumPy takes for the coarser levels, from CDO's file. CDO's own `gridboxmean` takes longer."""
    begin = time.perf_counter()
    with netCDF4.Dataset(here / "by_cdo.nc") as finest:
        values = finest["t"][:].reshape(-1, LEVELS, 12 * 4**LEVEL)
    for level in range(LEVEL - 1, LEVEL - 1 - COARSER, -1):
        values = values.reshape(len(values), LEVELS, -1, 4).mean(axis=3)
        with netCDF4.Dataset(here / f"by_numpy_z{level}.nc", "w") as file:
            for name, size in (("time", None), ("level", LEVELS), ("cell", 12 * 4**level)):
                file.createDimension(name, size)
            chunk = (1, LEVELS, 12 * 4**level)
            file.createVariable("t", "f4", ("time", "level", "cell"), chunksizes=chunk)[:] = values
    return time.perf_counter() - begin


def by_yac(here: Path, steps: int) -> float:
    """Seconds until a program that YAC couples to a model has written the pyramid."""
    words = ["native.nc", steps, EVERY, LEVELS, LEVEL, COARSER]
    done = jobs.run([sys.executable, Path(__file__).parent / "programs" / "yac_pyramid.py", *words], 2, here)
    return float(done.of("done")[0][0])


def of_jobs(results: Results, steps: int, divisions: int, sweeps: int) -> dict[str, list[float]]:
    if importlib.util.find_spec("yac") is None or shutil.which("cdo") is None:
        print("without YAC and CDO: no jobs")
        return {}
    seen: dict[str, list[float]] = {"alone": [], "busy": [], "pyramid": [], "native": [], "after": [], "yac": []}
    with jobs.folder() as here:
        model = Model(here, steps, divisions)
        model.run(PYRAMID, 0)  # makes the weights
        for _ in range(5):
            seen["alone"].append(model.run(NATIVE, sweeps, "off")[0])
            seen["busy"].append(model.run(PYRAMID, sweeps)[0])
            seen["pyramid"].append(model.run(PYRAMID, 0)[2])
            seen["native"].append(model.run(NATIVE, 0)[2])
            seen["after"].append(remapped(here, 20 * 4**divisions) + coarsened(here))
            seen["yac"].append(by_yac(here, steps))
    best = {name: min(times) for name, times in seen.items()}
    note = (
        f"{best['busy']:.2f} and {best['alone']:.2f} s for {steps} steps of {20 * 4**divisions} cells, {LEVELS} levels"
    )
    results.add("steps of the model, a pyramid to those without output", best["busy"] / best["alone"], "x", 1.01, note)
    note = "{}; {} to write and {} to remap and coarsen".format(
        *(f"{best[name]:.2f} s" for name in ("pyramid", "native", "after"))
    )
    afterwards = best["native"] + best["after"]
    results.add("a pyramid of HEALPix, to writing and remapping", best["pyramid"] / afterwards, "x", 1 / 3, note)
    note = f"{best['yac']:.2f} s with YAC and a program of its own"
    results.add("a pyramid of HEALPix, to YAC alone", best["pyramid"] / best["yac"], "x", None, note)
    return seen


def main() -> None:
    asked = arguments(__doc__, rounds=9, steps=36, divisions=6, sweeps=60)
    results = Results("regrid")
    with jobs.folder() as here:
        done = jobs.run([jobs.program("regrid_speed"), asked.rounds], 1, here, pinned=False)
    figures = done.figures()
    of_speed(results, figures)
    results.details = {"figures": figures, "setup": of_setup(results, done.of("setup"))}
    results.details["jobs"] = of_jobs(results, asked.steps, asked.divisions, asked.sweeps)
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
