"""Opens, reads and closes a file repeatedly while it is written, and prints a summary as one line of JSON.

    python reading_loop.py READER FILE EXPECTED.npy STOP

Each round is one open: every variable is read, in the reader's own order. A record exists if its time does. The loop
prints `ready`, reads while FILE exists and ends when the file STOP exists.
"""

import collections
import contextlib
import json
import os
import sys
import time
from pathlib import Path

import h5netcdf
import netCDF4
import numpy as np
import xarray as xr

FILLED = 9.9e36  # this value or more: not written


def by_netcdf4(path: Path) -> dict[str, np.ndarray]:
    with netCDF4.Dataset(path) as data:
        data.set_auto_maskandscale(False)
        return {name: variable[:] for name, variable in data.variables.items()}


def by_h5netcdf(path: Path) -> dict[str, np.ndarray]:
    with h5netcdf.File(path, "r") as data:
        return {name: variable[...] for name, variable in data.variables.items()}


def by_xarray(engine: str):
    def read(path: Path) -> dict[str, np.ndarray]:
        with xr.open_dataset(path, engine=engine, decode_times=False, mask_and_scale=False, cache=False) as data:
            return {name: data[name].values for name in data.variables}

    return read


READERS = {
    "netCDF4": by_netcdf4,
    "h5netcdf": by_h5netcdf,
    "xarray-netcdf4": by_xarray("netcdf4"),
    "xarray-h5netcdf": by_xarray("h5netcdf"),
}


def judge(seen: dict[str, np.ndarray], expected: np.ndarray) -> str:
    """`expected`: the values of w by record."""
    verdict = "whole"
    for name, times in [(name, seen[name]) for name in seen if name.startswith("time") and seen[name].ndim == 1]:
        records = int(np.count_nonzero(times < FILLED))
        if not np.all(times[:records] < FILLED) or np.any(np.diff(times[:records]) <= 0):
            return f"wrong: {name}"
        if records < len(times):
            verdict = "without time"
    instants = len(seen["w"])
    if not np.array_equal(seen["w"], expected[:instants]):
        found = [i for i in range(instants) if not np.array_equal(seen["w"][i], expected[i])]
        times = seen[next(name for name in seen if name.startswith("time") and len(seen[name]) == instants)]
        if any(times[i] < FILLED for i in found):
            return f"wrong: w[{found[0]}] of {instants}"
        verdict = "without time"
    for name in ("w_mean", "t_mean"):
        if np.any(seen[name] > FILLED):
            return f"wrong: {name}"
    return verdict


@contextlib.contextmanager
def held(path: Path):
    """The open file, so that another one of this name can be distinguished; None if there is none."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        yield None
        return
    with file:
        yield file


def was_removed(file) -> bool:
    return os.fstat(file.fileno()).st_nlink == 0


def look(read, path: Path, expected: np.ndarray) -> str:
    """A verdict; empty if the file was absent or removed meanwhile: netCDF opens it several times by its name."""
    with held(path) as file:
        if file is None:
            return ""
        try:
            return judge(read(path), expected)
        except (OSError, RuntimeError, ValueError, KeyError, AttributeError) as error:
            if was_removed(file):
                return ""
            return f"error: {type(error).__name__}: {str(error).replace(str(path), '')[:100]}"


def main() -> None:
    read, path, expected, stop = READERS[sys.argv[1]], Path(sys.argv[2]), np.load(sys.argv[3]), Path(sys.argv[4])
    seen = collections.Counter()
    print("ready", flush=True)
    while not stop.exists():
        if verdict := look(read, path, expected):
            seen[verdict] += 1
        else:
            time.sleep(0.01)
    print(json.dumps(seen))


if __name__ == "__main__":
    main()
