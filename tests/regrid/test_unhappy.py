"""A job in which something goes wrong while it regrids, and its files: a server that is killed while weights are made,
weights without room, rows that cannot be applied, an order to stop with samples under way, and records that are
appended to those of another target."""

import os
import signal
import sys
import time
from pathlib import Path

import netCDF4
import numpy as np
import pytest
import zarr
from support.harness import (
    SURVIVORS_LIVE,
    Job,
    field,
    find_errors,
    model,
    needs_survivors_of_signals,
    servers,
    works_in,
)
from support.reading import differences, every_bit, read
from support.regridding import lat_lon_grid
from support.stop_orders import ORDER, run_by_tailrace, steps_of
from support.survivors import pid_of

TO = {"to": {"healpix": {"level": 2}}, "method": "nearest"}
# The first is regridded sample by sample, the other record by record.
PER_SAMPLE = {"field": "w", "name": "w_max", "time": "max", "every": "3 s"}
PER_RECORD = {"field": "w", "time": "mean", "every": "3 s"}
TIMES = [float(step) for step in range(1, 151)]


def config_of(cache: Path, variables: list[dict], **entry) -> dict:
    return {
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "regrid": {"cache": str(cache)},
        "output": {"a.nc": {"regrid": TO, "variables": variables} | entry},
    }


def play(ranks: int = 2, steps: int = 12, **more):
    scenario = {"grids": [lat_lon_grid()], "fields": [field("w", "globe")], "times": TIMES[:steps]}
    return model(ranks, **scenario | more)


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> Path:
    """A cache with the weights of all jobs of this file that do not make their own."""
    folder = tmp_path_factory.mktemp("cached")
    Job(folder)(play(), servers(1), config=config_of(folder / "cache", [PER_RECORD])).finished()
    return folder / "cache"


HELD = """
import os, pathlib, runpy, signal, sys
import tailrace.weights.canonical as canonical

def hold(*_, **__):
    pathlib.Path(os.environ["MAKERS"], str(os.getpid())).touch()
    signal.pause()

canonical.write = hold
sys.argv = ["maker", sys.argv[-1]]
runpy.run_module("tailrace.weights.maker", run_name="__main__")
"""


def held_maker(folder: Path) -> dict[str, str]:
    """The environment in which makers of weights stop before they write, and say who they are in `makers`."""
    python = folder / "venv" / "bin" / "python3"
    python.parent.mkdir(parents=True)
    (folder / "hold.py").write_text(HELD)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} {folder}/hold.py "$@"\n')
    python.chmod(0o755)
    (folder / "makers").mkdir()
    return {"VIRTUAL_ENV": str(folder / "venv"), "MAKERS": str(folder / "makers")}


def wait_until(is_so, running, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, running.log.read_text(errors="replace")
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


@needs_survivors_of_signals
@pytest.mark.parametrize("victim", [2, 3], ids=["the leader", "another"])
def test_a_server_that_is_killed_while_weights_are_made(job, tmp_path, victim):
    cache, makers = tmp_path / "cache", tmp_path / "makers"
    cache.mkdir()
    (cache / "foreign").write_text("of another program")
    config = config_of(cache, [PER_RECORD])
    environment = held_maker(tmp_path) | {"PLAYER_LEAVES_AT_ONCE": "1"}
    with job.start(play(), servers(2), config=config, environment=environment, launcher=SURVIVORS_LIVE) as running:
        wait_until(lambda: list(makers.iterdir()), running)
        (maker,) = (int(path.name) for path in makers.iterdir())
        assert is_alive(maker)
        os.kill(pid_of(running, victim), signal.SIGKILL)
        wait_until(lambda: not any(works_in(pid, running.folder) for pid in running.rank_pids()), running, 30)
        wait_until(lambda: not is_alive(maker), running, 10)
        output = running.log.read_text(errors="replace")
    said = "".join(path.read_text(errors="replace") for path in sorted(running.folder.glob("said.*")))
    messages = [text for _, text in find_errors(said)]
    assert messages and all("server" in text for text in messages), (messages, output)
    assert [path.name for path in cache.iterdir()] == ["foreign"]
    assert (cache / "foreign").read_text() == "of another program"


def means_of_all(path: Path) -> None:
    """Weights in SCRIP's layout by which each box of ten degrees is the mean of all cells of the grid of play()."""
    centres = {}
    for side, rows, columns in (("src", 13, 24), ("dst", 18, 36)):
        axes = -90 + 180 / rows * (np.arange(rows) + 0.5), 360 / columns * (np.arange(columns) + 0.5)
        centres[side] = (rows, columns), [axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")]
    sources, targets = 13 * 24, 18 * 36
    with netCDF4.Dataset(path, "w") as file:
        file.setncatts({"map_method": "Distance weighted averages of neighbors", "normalization": "destarea"})
        for side, (shape, places) in centres.items():
            file.createDimension(f"{side}_grid_size", len(places[0]))
            file.createDimension(f"{side}_grid_rank", 2)
            file.createVariable(f"{side}_grid_dims", "i4", (f"{side}_grid_rank",))[:] = shape[::-1]
            for axis, values in zip(("lat", "lon"), places, strict=True):
                centre = file.createVariable(f"{side}_grid_center_{axis}", "f8", (f"{side}_grid_size",))
                centre.units = "degrees"
                centre[:] = values
        file.createDimension("num_links", sources * targets)
        file.createDimension("num_wgts", 1)
        file.createVariable("dst_address", "i4", ("num_links",))[:] = 1 + np.repeat(np.arange(targets), sources)
        file.createVariable("src_address", "i4", ("num_links",))[:] = 1 + np.tile(np.arange(sources), targets)
        file.createVariable("remap_matrix", "f8", ("num_links", "num_wgts"))[:] = 1 / sources


def test_weights_that_do_not_fit_into_the_memory(job, tmp_path):
    """The plan does not know how many weights a file of others has: here 200,000 of 17 bytes."""
    means_of_all(tmp_path / "all.nc")
    regrid = {"to": {"latlon": "10 deg"}, "method": str(tmp_path / "all.nc")}
    config = config_of(tmp_path / "cache", [PER_RECORD], regrid=regrid)
    result = job(play(), servers(1, memory="2 MiB"), config=config)
    result.failed_with(
        "output.a.nc.regrid", "weights of the target cells of one server need about 3.", "servers: {memory"
    )
    job(play(), servers(2, memory="64 MiB"), config=config).finished()


@pytest.mark.parametrize("variable", [PER_SAMPLE, PER_RECORD], ids=["samples", "records"])
def test_rows_that_cannot_be_applied(job, cache, variable):
    """By `on_error` the run ends, or the cells of that time are missing and all others are there."""
    fault = {"TAILRACE_FAULT_AT": "2:rows:throw:2"}
    name = variable.get("name", "w")
    if variable is PER_SAMPLE:
        ended = job(play(), servers(1), config=config_of(cache, [variable]), environment=fault)
        ended.failed_with(name, "could not be regridded", "a fault at rows")
    whole = job(play(), servers(1), config=config_of(cache, [variable])).finished()
    goes_on = config_of(cache, [variable], on_error="skip")
    result = job(play(), servers(1), config=goes_on, environment=fault).finished()
    assert result.output.count("could not be regridded: a fault at rows; its cells are missing") == 1
    with read(whole.path("a.nc")) as expected, read(result.path("a.nc")) as got:
        differs = ~np.isclose(expected[name].values, got[name].values, rtol=0, atol=0, equal_nan=True)
        assert got[name].shape == expected[name].shape
        fill = got[name].attrs["_FillValue"]
        assert 0 < differs.sum() < differs[0].size and differs.any(axis=(1, 2)).sum() == 1, "a part of one record"
        assert np.all(got[name].values[differs] == fill)


def test_an_order_to_stop_with_samples_under_way(job, cache, tmp_path, monkeypatch):
    """Nothing that is complete is lost, and the restarted run writes the same bits as one that was not stopped."""
    config = config_of(cache, [PER_SAMPLE, PER_RECORD], write_every="90000 s")
    config["checkpoint"] = {"every": "never", "fields": ["w"]}
    scenario = {"checkpoints": True, "asks_stop": True, "got": ["w"], "report_steps": True, "in_step": True}
    whole = job(play(steps=150, **scenario), servers(2), config=config).finished()
    monkeypatch.setenv("TAILRACE_RANDOM_DELAYS", "11:4000")
    scenario |= {"grids": [lat_lon_grid()], "fields": [field("w", "globe")], "times": TIMES, "pace": 0.01}
    with run_by_tailrace(tmp_path / "job", servers(2), config=config, **scenario) as running:
        running.wait_for("STEP 20\n")
        running.process.send_signal(ORDER)
        stopped = running.wait().finished()
    (step,) = steps_of(stopped.output, "STOPPING")
    assert step < 150
    with read(stopped.path("a.nc")) as there, read(whole.path("a.nc")) as expected:
        for name in ("w", "w_max"):
            records = step // 3
            np.testing.assert_array_equal(there[name].values[:records], expected[name].values[:records])
    monkeypatch.delenv("TAILRACE_RANDOM_DELAYS")
    ended = job(play(3, steps=150, **scenario | {"pace": 0.0}), servers(1), config=config, folder=stopped.folder)
    assert f"RESTARTED {step}" in ended.finished().output
    assert differences(every_bit(ended.path("a.nc")), every_bit(whole.path("a.nc"))) == []


def content(path: Path) -> dict[Path, bytes]:
    files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
    return {one: one.read_bytes() for one in files}


@pytest.mark.parametrize("name", ["a.nc", "a.zarr"])
def test_records_of_another_target_are_not_appended(job, cache, name):
    def config(**regrid) -> dict:
        entry = {"regrid": TO | regrid, "if_exists": "append", "variables": [PER_RECORD]}
        return config_of(cache, []) | {"output": {name: entry | ({"format": "zarr"} if name.endswith("zarr") else {})}}

    first = job(play(steps=6), servers(1), config=config()).finished()
    before = content(first.path(name))
    later = play(steps=6, initial_time=6.0, times=TIMES[6:12])
    other = job(later, servers(1), config=config(coverage=0.9), folder=first.folder)
    other.failed_with(name, "nearest (coverage 0.5", "nearest (coverage 0.9")
    assert content(first.path(name)) == before
    job(later, servers(1), config=config(), folder=first.folder).finished()
    if name == "a.nc":
        assert len(read(first.path(name))["w"]) == 4
    else:
        assert zarr.open(str(first.path(name)))["w"].shape[0] == 4
