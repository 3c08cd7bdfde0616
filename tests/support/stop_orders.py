"""A model that saves its state and ends when it is ordered to stop, and what must be there then."""

import json
import signal
import sys

import numpy as np

from support.harness import (
    CONFIGURATION,
    MPI,
    Running,
    block_grid,
    field,
    model,
    mpi_environment,
    mpirun_command,
    write_configuration,
)
from support.reading import read
from support.values import put_values, varying_times

TIMES = varying_times(4000, seed=12)
SHAPE = (3, 8, 13)
CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["w", "t"]}},
    "output": {
        "now.nc": {"write_every": "90000 s", "variables": [{"field": "w", "every": "1 step", "chunk": [5, 3, 2, 13]}]},
    },
    "checkpoint": {"every": "never", "fields": ["w", "t"]},
}
SCENARIO = {
    "grids": [block_grid(shape=SHAPE)],
    "fields": [field("w", "les"), field("t", "les")],
    "got": ["w", "t"],
    "times": TIMES,
    "report_steps": True,
    "pace": 0.004,
    "in_step": True,
}
ASKS = {"checkpoints": True, "asks_stop": True}
# MPICH's launcher passes SIGTERM on, and dies of SIGUSR2.
ORDER = {"openmpi": signal.SIGUSR2, "mpich": signal.SIGTERM}[MPI]


def steps_of(output: str, word: str) -> list[int]:
    return [int(line.split()[1]) for line in output.splitlines() if line.startswith(word + " ")]


def outcome(folder) -> str:
    return json.loads((folder / "tailrace_report" / "report.json").read_text())["run"]["outcome"]


def run_by_tailrace(folder, serving, ranks=2, config=CONFIG, **scenario) -> Running:
    """The job, started by `tailrace run`; signals go to that process only."""
    folder.mkdir(exist_ok=True)
    write_configuration(folder / CONFIGURATION, config, serving)
    command = mpirun_command([model(ranks, **(SCENARIO | scenario))], serving, folder)
    number, program = command[2], command[3:]
    line = [sys.executable, "-m", "tailrace.cli", "run", "-n", number, CONFIGURATION, "--", *program]
    return Running(line, folder, mpi_environment())


def assert_whole(folder, least: int) -> int:
    """The records of at least so many steps are in the file, with the values that were put."""
    with read(folder / "now.nc") as now:
        there = now.sizes["time"]
        assert there >= least, f"{there} records in now.nc, {least} steps were finished"
        np.testing.assert_array_equal(now.time.values, TIMES[:there])
        for i in range(there):
            np.testing.assert_array_equal(now.w.values[i], put_values(0, SHAPE, TIMES[i], i + 1))
    return there


def assert_ended_in_good_order(result, name: str) -> None:
    result.finished()
    (stopped,) = steps_of(result.output, "STOPPING")
    assert steps_of(result.output, "CHECKPOINT") == [stopped]
    assert assert_whole(result.folder, stopped) == stopped
    assert outcome(result.folder) == f"ended by {name}"
    assert (result.folder / f"restart/model/step_{stopped:012}/manifest.json").exists()
