"""Readers open, read and close a file in a loop while it is committed about 20 times a second.

Each round counts as one open. TAILRACE_TEST_SECONDS: approximate time of reading for each of the three
delays (10 if unset), distributed over several jobs, so that files stay short and are also created and finished.
TAILRACE_TEST_LOOPS: the number of processes that read with netCDF4, the fastest (1 if unset); one for each other.
100,000 opens take some minutes on an idle machine.
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
from support.values import put_values

SECONDS = float(os.environ.get("TAILRACE_TEST_SECONDS", "10"))
LOOPS = [*reading_loop.READERS, *["netCDF4"] * (int(os.environ.get("TAILRACE_TEST_LOOPS", "1")) - 1)]
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
MOST_RECORDS = 400  # of a file: more than the slots for its headers


def start_loop(reader: str, arguments: list[Path]) -> subprocess.Popen:
    command = [sys.executable, reading_loop.__file__, reader, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def stop_and_count(loops: list[subprocess.Popen], stop: Path) -> collections.Counter:
    stop.touch()
    seen = collections.Counter()
    for reader, loop in zip(LOOPS, loops, strict=True):
        out, _ = loop.communicate(timeout=60)
        assert loop.returncode == 0, out
        found = json.loads(out.splitlines()[-1])
        print(f"{reader}: {found}")
        seen.update(found)
    return seen


@pytest.mark.parametrize("delay", [0, 2000, 20000], ids=["at_once", "2ms", "20ms"])
def test_readers_see_only_whole_records(job, tmp_path, delay):
    writes_of_a_commit = 15
    steps = max(1, int(SECONDS / max(PACE, 1e-6 * delay * writes_of_a_commit)))
    jobs = -(-steps // MOST_RECORDS)
    times = [1.0 * (i + 1) for i in range(steps // jobs)]
    scenario = {"grids": [block_grid(shape=SHAPE), indexed_grid()], "fields": FIELDS, "times": times, "pace": PACE}
    np.save(tmp_path / "expected.npy", [put_values(0, SHAPE, t, i + 1) for i, t in enumerate(times)])
    folder, stop = tmp_path / "run", tmp_path / "stop"
    arguments = [folder / "out.nc", tmp_path / "expected.npy", stop]
    loops = [start_loop(reader, arguments) for reader in LOOPS]
    try:
        assert all(loop.stdout.readline() == "ready\n" for loop in loops)
        for _ in range(jobs):
            (folder / "out.nc").unlink(missing_ok=True)
            environment = {"TAILRACE_FILE_DELAY": str(delay)}
            with job.start(
                model(1, **scenario), servers(1), config=CONFIG, folder=folder, environment=environment
            ) as running:
                running.wait(timeout=60 + 20 * SECONDS / jobs).finished()
        seen = stop_and_count(loops, stop)
    finally:
        for loop in loops:
            loop.kill()
    opens = seen.total()
    print(f"{opens} opens with {delay} us before each write: {dict(seen)}")
    errors = sum(count for verdict, count in seen.items() if verdict.startswith("error"))
    assert not [verdict for verdict in seen if verdict.startswith("wrong")], seen
    assert opens > 20, seen
    assert errors <= opens / 10_000, seen
    assert seen["without time"] <= opens / 1_000, seen
