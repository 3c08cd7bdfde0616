"""Jobs with one input field, of records by the hour, that also write output; and the processes that read for them."""

import contextlib
import os
import signal
from pathlib import Path

import netCDF4
import numpy as np

from support.harness import Result, Running, attached, block_grid, field, inline, model, servers
from support.reading_inputs import got

SHAPE = (5, 7)
RECORDS = 40  # each hour
TIMES = [3600.0 * step for step in range(1, 31)]
ALL = list(range(len(TIMES) + 1))  # the records that the model gets, with `time: previous`

PARTICIPANTS = {
    "shm": (2, servers(2)),
    "mpi": (2, servers(1, transport="mpi")),
    "attached": (2, attached()),
    "inline": (2, inline()),
}


def values(record: int) -> np.ndarray:
    return 100.0 * record + np.arange(np.prod(SHAPE)).reshape(SHAPE)


def write(path: Path, records=RECORDS, first=0, name="sst", **storage) -> None:
    """Appears under its name when it is whole. `storage`: as in netCDF4.Dataset.createVariable."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(".aside")
    with netCDF4.Dataset(aside, "w") as file:
        for dim, size in zip("yx", SHAPE, strict=True):
            file.createDimension(dim, size)
            file.createVariable(dim, "f8", dim)[:] = 50.0 * np.arange(size)
            file[dim].units = "m"
        file.createDimension("time", None)
        file.createVariable("time", "f8", "time")[:] = np.arange(first, first + records)
        file["time"].units = "hours since 2000-01-01"
        variable = file.createVariable(name, "f8", ("time", "y", "x"), chunksizes=(1, *SHAPE), **storage)
        variable.units = "K"
        for record in range(records):
            variable[record] = values(first + record)
    aside.rename(path)


def configuration(**entry) -> dict:
    fields = {"sst": {"time": "previous"}}
    output = {"write_every": "1 step", "variables": [{"field": "w", "time": "snapshot", "every": "1 step"}]}
    return {
        "model_time": {"calendar": "standard", "start": "2000-01-01"},
        "fields": {"state": {"names": ["w"], "every": "1 step"}},
        "output": {"w.nc": output},
        "input": {"forcing": {"files": "forcing.nc", "fields": fields} | entry},
    }


def forced(ranks: int, **more):
    sea = block_grid("sea", SHAPE, ("x",), dims=("y", "x"))
    inputs = [{"name": "sst", "grid": "sea", "units": "K"}]
    scenario = {"grids": [sea], "fields": [field("w", "sea")], "inputs": inputs, "times": TIMES} | more
    return model(ranks, **scenario)


def start(job, way: str, folder: Path, config: dict, **more) -> Running:
    ranks, serving = PARTICIPANTS[way]
    return job.start(forced(ranks, **more), serving, config=config, folder=folder)


def expect_records(folder: Path, records: list[int], name="sst") -> None:
    np.testing.assert_array_equal(got(folder, name, SHAPE), np.stack([values(record) for record in records]))


def expect_error(result: Result, *pieces: str) -> None:
    """A `get` failed on every rank. (A rank that leaves without `finish` ends a server in its process, and the job.)"""
    lines = [line for line in result.output.splitlines() if line.startswith("NOTHING ")]
    assert result.status != 0, result.output
    assert lines, result.output
    for piece in pieces:
        assert all(piece in line for line in lines), f"{piece!r} is not in {lines}"


def readers(folder: Path, file: str = "") -> list[int]:
    """The processes that read for a job in this folder, and have the file open."""
    found = []
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if not process.name.isdigit() or (process / "cwd").readlink() != folder:
                continue
            command = (process / "cmdline").read_bytes()
            if b"tailrace_read_netcdf" not in command and b"tailrace.input_source" not in command:
                continue
            opened = [one.readlink().name for one in (process / "fd").iterdir()]
            if not file or file in opened:
                found.append(int(process.name))
    return found


def signal_readers(folder: Path, number: signal.Signals, file: str = "") -> int:
    found = readers(folder, file)
    for pid in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
    return len(found)
