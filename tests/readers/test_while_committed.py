"""Readers open, read and close a file in a loop while it is committed about 20 times a second.

Each round counts as one open. TAILRACE_TEST_SECONDS says how long each of the three runs lasts (10 if unset; 100,000 opens
need some minutes on a machine of its own).
"""

import collections
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support import reading_loop
from support.harness import block_grid, field, indexed_grid, model, servers
from support.reading import commits
from support.values import put_values

SECONDS = float(os.environ.get("TAILRACE_TEST_SECONDS", "10"))
SHAPE = (3, 7, 11)
CONFIG = {
    "model_time": {"calendar": "standard", "start": "2026-01-01"},
    "fields": {"state": {"every": "1 step", "names": ["w", "t"]}},
    "output": {
        "out.nc": {
            "write_every": "1 step",
            "compression": {"codec": "zlib"},
            "variables": [
                {"field": "w", "time": "snapshot", "every": "1 step"},
                {"field": "w", "name": "w_mean", "time": "mean", "every": "2 s"},
                {"field": "t", "name": "t_mean", "time": "mean", "every": "2 s"},
            ],
        }
    },
}
FIELDS = [field("w", "les", units="m s-1"), field("t", "ico", "float32", units="K")]
PACE = 0.05


def stop_and_count(loops: list[subprocess.Popen], stop: Path) -> collections.Counter:
    stop.touch()
    seen = collections.Counter()
    for loop in loops:
        out, _ = loop.communicate(timeout=60)
        assert loop.returncode == 0, out
        seen.update(json.loads(out.splitlines()[-1]))
    return seen


@pytest.mark.parametrize("delay", [0, 2000, 20000], ids=["at_once", "2ms", "20ms"])
def test_readers_see_only_whole_records(job, tmp_path, delay):
    times = [1.0 * (i + 1) for i in range(int(SECONDS / PACE))]
    scenario = {"grids": [block_grid(shape=SHAPE), indexed_grid()], "fields": FIELDS, "times": times, "pace": PACE}
    np.save(tmp_path / "expected.npy", [put_values(0, SHAPE, t, i + 1) for i, t in enumerate(times)])
    loop = [sys.executable, reading_loop.__file__]
    loops = []
    environment = {"TAILRACE_FILE_DELAY": str(delay)}
    with job.start(model(1, **scenario), servers(1), config=CONFIG, environment=environment) as running:
        while "out.nc" not in commits(running.folder):
            assert running.alive(), running.log.read_text()
        arguments = [running.folder / "out.nc", tmp_path / "expected.npy", tmp_path / "stop"]
        try:
            for reader in reading_loop.READERS:
                loops.append(subprocess.Popen([*loop, reader, *arguments], stdout=subprocess.PIPE, text=True))
            running.wait(timeout=60 + 20 * SECONDS).finished()
            seen = stop_and_count(loops, tmp_path / "stop")
        finally:
            for process in loops:
                process.kill()
    opens = seen.total()
    print(f"{opens} opens with {delay} us before each write: {dict(seen)}")
    errors = sum(count for verdict, count in seen.items() if verdict.startswith("error"))
    assert not [verdict for verdict in seen if verdict.startswith("wrong")], seen
    assert opens > 20, seen
    assert errors <= opens / 10_000, seen
    assert seen["without time"] <= opens / 1_000, seen
