"""kill -9 of everything at any moment: what was reported committed is there."""

import random
import time

import numpy as np
import pytest
from support.harness import Job, block_grid, field, model, servers, tailrace
from support.reading import commits, read
from support.values import put_values, varying_times

TIMES = varying_times(4000, seed=5)
SHAPE = (4, 9, 17)
CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["w", "t"]}},
    "output": {
        "now.nc": {
            "write_every": "2 steps",
            "compression": {"codec": "zlib"},
            "variables": [{"field": "w", "time": "snapshot", "every": "1 step", "chunk": [3, 2, 5, 17]}],
        },
        "mean.nc": {"write_every": "10 s", "variables": [{"field": "t", "time": "mean", "every": "5 s"}]},
    },
}
SCENARIO = {
    "grids": [block_grid(shape=SHAPE)],
    "fields": [field("w", "les"), field("t", "les")],
    "times": TIMES,
    "pace": 0.002,
    "report_steps": True,
}
MOMENTS = 50
IN_ONE_TEST = 5


def make_readable(path) -> None:
    """As a user would: open it, and where that fails do what `tailrace inspect` says."""
    looked = tailrace("inspect", path.name, cwd=path.parent)
    if looked.returncode != 0:
        assert "repair" in looked.stdout + looked.stderr
        repaired = tailrace("inspect", "--repair", path.name, cwd=path.parent)
        assert repaired.returncode == 0, repaired.stderr


def assert_holds(path, lengths: dict[str, int]) -> None:
    data = read(path)
    for dim, length in lengths.items():
        assert data.sizes[dim] >= length, f"{dim}: {data.sizes[dim]} of {length} promised records"
    if "w" in data:
        for i in range(lengths.get("time", 0)):
            np.testing.assert_array_equal(data.w.values[i], put_values(0, SHAPE, TIMES[i], i + 1))


@pytest.mark.parametrize("series", range(MOMENTS // IN_ONE_TEST))
def test_every_committed_record_survives(tmp_path, series):
    moments = random.Random(series)
    job = Job(tmp_path)
    committed = 0
    for _ in range(IN_ONE_TEST):
        with job.start(model(2, **SCENARIO), servers(2), config=CONFIG) as running:
            running.wait_for("STEP 1\n")
            time.sleep(moments.uniform(0.0, 0.8))
            assert running.alive()
            running.kill()
        promised = commits(running.folder)
        committed += len(promised)
        for path in running.folder.glob("*.nc"):
            make_readable(path)
            assert_holds(path, promised.get(path.name, {}))
        assert all((running.folder / name).exists() for name in promised)
    assert committed > 0, "no run was killed after a commit; the test says nothing"
