"""Stores that grow: over jobs, from a checkpoint, and while readers look at them or the run is killed. For tests of
`format: zarr` with and without shards."""

import itertools
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import zarr

from .harness import Job, block_grid, field, model, servers, tailrace
from .reading import commits
from .stores import read_store
from .values import put_values, varying_times

SHAPE = (4, 9, 17)
LARGE = (4, 45, 53)  # records of 76 KB, which are divided among the servers; those of SHAPE are on one


def long_run(shape: tuple[int, ...]) -> dict:
    return {
        "grids": [block_grid(shape=shape)],
        "fields": [field("w", "les")],
        "times": varying_times(3000, seed=5),
        "pace": 0.002,
        "report_steps": True,
    }


LONG = long_run(SHAPE)


def assert_whole(store: Path, at_least: int = 0) -> int:
    """All records of the store of a long run are those of the model; returns how many there are."""
    data = read_store(store)
    assert data.sizes["time"] == data.w.shape[0] >= at_least
    for i, stamp in enumerate(data.time.values):
        assert stamp == LONG["times"][i]
        np.testing.assert_array_equal(data.w.values[i], put_values(0, data.w.shape[1:], LONG["times"][i], i + 1))
    return data.sizes["time"]


def check_kills(folder: Path, config: dict, kills: int, seed: int) -> None:
    """Runs that write LONG to now.zarr are killed: every commit that they reported is there."""
    moments, committed, job = random.Random(seed), 0, Job(folder)
    for _ in range(kills):
        with job.start(model(2, **LONG), servers(2), config=config) as running:
            running.wait_for("STEP 1\n")
            time.sleep(moments.uniform(0.0, 0.8))
            running.kill()
        promised = commits(running.folder).get("now.zarr", {}).get("time", 0)
        found = assert_whole(running.folder / "now.zarr", promised)
        committed += promised
        inspected = tailrace("inspect", "--repair", ".", cwd=running.folder)
        assert inspected.returncode == 0, inspected.stderr
        assert f"records: time {found}" in inspected.stdout
        alone = zarr.open_group(running.folder / "now.zarr", mode="r", use_consolidated=False)
        assert {array.shape[0] for name, array in alone.arrays() if name in ("w", "time")} == {found}
        shutil.rmtree(running.folder)
    assert committed > 0


READING = """
import importlib, sys
from pathlib import Path
module, look = sys.argv[2].split(":")
look = getattr(importlib.import_module(module), look)
print("ready", flush=True)
seen, store = [], Path(sys.argv[1])
while not (store.parent / "stop").exists():
    if store.exists():
        seen.append(look(store))
assert seen == sorted(seen)
print(len(seen), len(set(seen)))
"""


def check_reader(job, folder: Path, config: dict, look: str, shape=SHAPE, serving=None) -> None:
    """A process calls `look` ("module:function", which returns how many records it sees) again and again while a run
    writes now.zarr into `folder`."""
    folder.mkdir()
    store = folder / "now.zarr"
    reader = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", READING, str(store), look],
        env={"PYTHONPATH": str(Path(__file__).parents[1])},
        stdout=subprocess.PIPE,
        text=True,
    )
    scenario = long_run(shape) | {"times": LONG["times"][:120], "pace": 0.03}
    players = [model(2, **scenario), serving or servers(1)]
    environment = {"TAILRACE_FILE_DELAY": "500"}
    assert reader.stdout.readline() == "ready\n"
    try:
        job(*players, config=config, folder=folder, environment=environment).finished()
        (folder / "stop").touch()
        out, _ = reader.communicate(timeout=60)
    finally:
        reader.kill()
    assert reader.returncode == 0
    looks, states = map(int, out.split())
    assert looks > 5 and states > 3, out
    assert_whole(store, 120)


TIMES_OF_JOBS = varying_times(40, seed=3)


def appended_by_jobs(job, output: dict, grid=None, serving=(1, 2, 1)) -> Path:
    """Three jobs of unequal length, with other numbers of ranks and servers, append to the same files."""
    config = {"fields": {"state": {"every": "1 step", "names": ["w"]}}, "output": output}
    times, cuts, folder = TIMES_OF_JOBS, (0, 11, 29, 40), None
    for i, (first, last) in enumerate(itertools.pairwise(cuts)):
        scenario = {"times": times[first:last], "initial_time": times[first - 1] if first else 0.0}
        player = model((3, 1, 2)[i], grids=[grid or block_grid("g")], fields=[field("w", "g")], **scenario)
        folder = job(player, servers(serving[i]), config=config, folder=folder).finished().folder
    return folder


def whole_and_in_pieces(job, output: dict, grid=None, serving=(2, 2, 1)) -> tuple[Path, Path]:
    """The folders of a run, and of one that stops in between and goes on from its checkpoint, so that later records are
    removed and written again."""
    config = {
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "output": output,
        "checkpoint": {"every": "7 s", "fields": ["w"]},
    }
    times = varying_times(43, seed=5, shortest=0.4, longest=1.7)

    def play(ranks, steps=None):
        scenario = {"times": times[:steps], "checkpoints": True, "got": ["w"]}
        return model(ranks, grids=[grid or block_grid("g")], fields=[field("w", "g")], **scenario)

    whole = job(play(3), servers(serving[0]), config=config).finished()
    first = job(play(3, 33), servers(serving[1]), config=config).finished()
    second = job(play(2), servers(serving[2]), config=config, folder=first.folder).finished()
    assert "RESTARTED" in second.output
    return whole.folder, first.folder
