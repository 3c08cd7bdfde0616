"""tailrace.stream on the Zarr store and the BP datasets of a running job: the steps that its NetCDF file gives."""

import fcntl
import importlib.util
import os
import struct
import threading

import numpy as np
import pytest
import tailrace
import xarray as xr
from support.harness import block_grid, field, model, servers
from support.stream_reader import Reader, standing_still, wait_until
from support.values import put_values
from tailrace.streams.job import MARK, is_marked

pytest.importorskip("zarr")

SHAPE = (3, 7, 11)
STEPS = 40
PAUSED_AFTER = 12
SOURCES = {"out.nc": {}, "out.zarr": {"format": "zarr"}}
if importlib.util.find_spec("adios2"):
    SOURCES |= {name: {"format": "adios2", "adios2": {"engine": name[:3]}} for name in ("bp4.bp", "bp5.bp")}
VARIABLES = [
    {"field": "w", "operation": "snapshot", "every": "1 step"},
    {"field": "w", "name": "w_mean", "operation": "mean", "every": "4 s"},
]


def configuration() -> dict:
    files = {name: options | {"write_every": "1 step", "variables": VARIABLES} for name, options in SOURCES.items()}
    return {
        "model_time": {"calendar": "standard", "start": "2026-01-01"},
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "output": files,
    }


def wave(pace: float = 0.03):
    times = [1.0 * (i + 1) for i in range(STEPS)]
    grid = block_grid(shape=SHAPE)
    return model(2, grids=[grid], fields=[field("w", "les", units="m s-1")], times=times, pace=pace)


def without_history(step: xr.Dataset) -> xr.Dataset:
    """The history has the time of creation."""
    return step.assign_attrs(history="")


def test_sources_of_a_running_job_give_equal_steps(job, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    readers = {name: Reader(folder / name) for name in SOURCES}
    player = wave()
    player.scenario["report_steps"] = True
    with job.start(player, servers(2), config=configuration(), folder=folder) as running:
        running.wait_for(f"STEP {PAUSED_AFTER}\n")
        with standing_still(running):
            wait_until(lambda: all(len(reader.steps) >= PAUSED_AFTER // 2 for reader in readers.values()))
        running.wait().finished()
    for name, reader in readers.items():
        steps = reader.got()
        assert len(steps) == STEPS, name
        for number, (step, expected) in enumerate(zip(steps, readers["out.nc"].got(), strict=True)):
            assert np.array_equal(step.w[0], put_values(0, SHAPE, number + 1.0, number + 1)), (name, number)
            assert ("w_mean" in step) == ((number + 1) % 4 == 0)
            xr.testing.assert_identical(without_history(step), without_history(expected))


def test_sources_of_a_finished_job_give_equal_parts(job):
    result = job(wave(pace=0.0), servers(1), config=configuration()).finished()
    for name in SOURCES:
        path = result.path(name)
        part = list(tailrace.stream(path, fields=["w"], region={"x": slice(100, 300), "z": 31.0}, every=7, start=2))
        for number, step in zip(range(2, STEPS, 7), part, strict=True):
            assert np.array_equal(step.w[0], put_values(0, SHAPE, number + 1.0, number + 1)[1, :, 2:7]), name
        thinned = {"x": slice(100, 400, 3), "y": slice(None, None, 2)}
        (step,) = tailrace.stream(path, fields=["w"], region=thinned, start=STEPS - 1)
        assert np.array_equal(step.w[0], put_values(0, SHAPE, 1.0 * STEPS, STEPS)[:, ::2, 2:9:3]), name
        assert step.x.values.tolist() == [100.0, 250.0, 400.0] and step.y.size == 4
        means = list(tailrace.stream(path, fields=["w_mean"]))
        assert len(means) == STEPS // 4 and all("time_4s_bnds" in step.variables for step in means)
        assert len(list(tailrace.stream(path, start="last"))) == 1


def test_a_mark_is_seen_while_it_moves_between_files(tmp_path):
    """Like the writer of a store, which marks the new metadata before it renames them, at each commit."""
    path = tmp_path / "zarr.json"

    def put_in_place() -> int:
        new = os.open(tmp_path / "new", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        lock = struct.pack("@hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, MARK, 1, 0)
        fcntl.fcntl(new, fcntl.F_OFD_SETLK, lock)
        (tmp_path / "new").rename(path)
        return new

    held = put_in_place()
    is_over = threading.Event()

    def write() -> None:
        nonlocal held
        while not is_over.is_set():
            before, held = held, put_in_place()
            os.close(before)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert all(is_marked(path) for _ in range(5000))
    finally:
        is_over.set()
        writer.join()
    os.close(held)
    assert not is_marked(path)
