"""Files that come late, change, vanish or end while a job reads them, and ranks that are killed meanwhile."""

import os
import time
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from support.harness import (
    SURVIVORS_LIVE,
    Result,
    Running,
    attached,
    block_grid,
    field,
    inline,
    model,
    needs_survivors_of_signals,
    servers,
    try_kill,
    works_in,
)
from support.reading_inputs import got
from support.survivors import pid_of

SHAPE = (5, 7)
RECORDS = 40  # each hour
TIMES = [3600.0 * step for step in range(1, 31)]
SECONDS = 5.0

PARTICIPANTS = {
    "shm": (2, servers(2)),
    "mpi": (2, servers(1, transport="mpi")),
    "attached": (2, attached()),
    "inline": (2, inline()),
}
each_way = pytest.mark.parametrize("way", PARTICIPANTS)


def values(record: int) -> np.ndarray:
    return 100.0 * record + np.arange(np.prod(SHAPE)).reshape(SHAPE)


def write(path: Path, records=RECORDS) -> None:
    """Appears under its name when it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(".aside")
    with netCDF4.Dataset(aside, "w") as file:
        for name, size in zip("yx", SHAPE, strict=True):
            file.createDimension(name, size)
            file.createVariable(name, "f8", name)[:] = 50.0 * np.arange(size)
            file[name].units = "m"
        file.createDimension("time", None)
        file.createVariable("time", "f8", "time")[:] = np.arange(records)
        file["time"].units = "hours since 2000-01-01"
        sst = file.createVariable("sst", "f8", ("time", "y", "x"), chunksizes=(1, *SHAPE))
        sst.units = "K"
        for record in range(records):
            sst[record] = values(record)
    aside.rename(path)


def configuration(**entry) -> dict:
    fields = {"sst": {"time": "previous"}}
    return {
        "model_time": {"calendar": "standard", "start": "2000-01-01"},
        "fields": {"state": {"names": ["w"], "every": "1 step"}},
        "output": {"w.nc": {"variables": [{"field": "w", "time": "snapshot", "every": "1 step"}]}},
        "input": {"forcing": {"files": "forcing.nc", "fields": fields} | entry},
    }


def forced(ranks: int, **more):
    sea = block_grid("sea", SHAPE, ("x",), dims=("y", "x"))
    inputs = [{"name": "sst", "grid": "sea", "units": "K"}]
    scenario = {"grids": [sea], "fields": [field("w", "sea")], "inputs": inputs, "times": TIMES} | more
    return model(ranks, **scenario)


def expect_records(folder: Path, records: list[int]) -> None:
    np.testing.assert_array_equal(got(folder, "sst", SHAPE), np.stack([values(record) for record in records]))


def expect_error(way: str, result: Result, *pieces: str) -> None:
    """Of a model that ends without `finish`: with a server in its process that ends the job before it can say why."""
    if way in ("shm", "mpi"):
        result.failed_with(*pieces)
    else:
        assert result.status != 0 and "leaves without finish" in result.output, result.output


def start(job, way: str, folder: Path, config: dict, **more) -> Running:
    ranks, serving = PARTICIPANTS[way]
    return job.start(forced(ranks, **more), serving, config=config, folder=folder)


@each_way
def test_a_file_that_comes_late_is_awaited(job, way):
    with start(job, way, job.root / way, configuration(wait_for="40 s")) as running:
        running.wait_for("it is awaited")
        write(running.folder / "forcing.nc")
        result = running.wait().finished()
    expect_records(result.folder, list(range(len(TIMES) + 1)))


@each_way
def test_a_file_that_never_comes_is_an_error_of_ready(job, way):
    ranks, serving = PARTICIPANTS[way]
    config = configuration(wait_for="0.3 s")
    result = job(forced(ranks), serving, config=config)
    result.failed_with("tailrace.yaml", "forcing.nc")


DAMAGES = {
    "truncated": (lambda path: os.truncate(path, 5000), "forcing.nc"),
    "removed": (lambda path: path.unlink(), "forcing.nc"),
    "replaced": (lambda path: write(path, 3), "forcing.nc"),
}


@pytest.mark.parametrize("damage", DAMAGES)
@each_way
def test_a_file_that_is_damaged_while_it_is_read(job, way, damage):
    """`stop` names the file and the variable; `hold` goes on with the last record that was read."""
    spoil, named = DAMAGES[damage]
    for on_trouble in ("stop", "hold"):
        folder = job.root / f"{way}_{damage}_{on_trouble}"
        write(folder / "forcing.nc")
        fault = {"kind": "wait", "rank": 0, "step": 3}
        with start(job, way, folder, configuration(on_trouble=on_trouble), fault=fault, report_steps=True) as running:
            running.wait_for("STEP 2")
            time.sleep(0.3)  # the records ahead have been read; how many makes no difference
            spoil(folder / "forcing.nc")
            (folder / "go").touch()
            result = running.wait()
        if on_trouble == "stop":
            expect_error(way, result, named, "variable sst")
            continue
        result.finished()
        held = got(folder, "sst", SHAPE)
        last = int(held[-1, 0, 0]) // 100
        assert 3 <= last < len(TIMES), "the last record from before the damage"
        expect_records(folder, [min(record, last) for record in range(len(TIMES) + 1)])


@each_way
def test_a_file_that_ends_before_the_model(job, way):
    ranks, serving = PARTICIPANTS[way]
    folder = job.root / way
    write(folder / "forcing.nc", 10)
    result = job(forced(ranks), serving, config=configuration(), folder=folder)
    expect_error(way, result, "variable sst", "the last record ends at 2000-01-01T09:00:00")
    assert "was never received" not in result.output


@needs_survivors_of_signals
@pytest.mark.parametrize("victim", ["model", "server"])
@pytest.mark.parametrize("way", ["shm", "mpi"])
def test_nobody_waits_for_a_rank_that_is_killed_while_it_reads(job, way, victim):
    ranks, serving = PARTICIPANTS[way]
    folder = job.root / f"{way}_{victim}"
    write(folder / "forcing.nc")
    scenario = forced(ranks, pace=0.05, report_steps=True, exchange_values=0)
    with job.start(
        scenario, serving, config=configuration(), folder=folder, launcher=SURVIVORS_LIVE
    ) as running:
        running.wait_for("STEP 3")
        try_kill(pid_of(running, 0 if victim == "model" else ranks))
        begin = time.monotonic()
        while any(works_in(pid, folder) for pid in running.rank_pids()):
            assert time.monotonic() - begin < SECONDS, running.log.read_text(errors="replace")
            time.sleep(0.01)
        assert "UNEXPECTED" not in running.log.read_text(errors="replace")
