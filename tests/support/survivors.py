"""Jobs in which one rank is killed, stopped, throws or exits at a named place, with a launcher that ends no other."""

import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.harness import (
    MPI,
    SURVIVORS_LIVE,
    Job,
    Model,
    Running,
    Servers,
    block_grid,
    field,
    find_errors,
    model,
    works_in,
)

MODELS = 2
GRID = block_grid(shape=(3, 14, 22))
TIMES = [float(step) for step in range(1, 2001)]
CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["w"]}},
    "output": {
        name: {"write_every": "1 step", "variables": [{"field": "w", "time": "snapshot", "every": "1 step"}]}
        for name in ("a.nc", "b.nc")
    },
}


@dataclass
class Outcome:
    folder: Path
    output: str
    errors: list[tuple[int, str]]
    seconds: float  # from the fault until every survivor had ended


def player(*, pace=0.02, steps=60, shape=None, exchange_values=0, fault_of_model=None, grid=None) -> Model:
    """`exchange_values`: 0 by default, since a model rank that ends would leave the other in the model's communication.
    `grid`: replaces GRID; `shape`: replaces its shape."""
    return model(
        MODELS,
        grids=[grid or (GRID if shape is None else block_grid(shape=shape))],
        fields=[field("w", "les")],
        times=TIMES[:steps],
        pace=pace,
        exchange_values=exchange_values,
        report_steps=True,
        fault=fault_of_model or {},
    )


def start(job: Job, serving: Servers, fault: str, *, nodes="", environment=None, **keywords) -> Running:
    """Two model ranks, and servers or none. `fault` as in TAILRACE_FAULT_AT, such as `3:welcome:kill`. `nodes`: the
    simulated node of each rank."""
    if MPI == "mpich" and ":kill" in fault:
        pytest.skip("MPICH's launcher kills the other ranks when one is ended by a signal")
    environment = {"TAILRACE_FAULT_AT": fault, "PLAYER_LEAVES_AT_ONCE": "1"} | (environment or {})
    if nodes:
        environment["TAILRACE_NODES"] = nodes
    return job.start(player(**keywords), serving, config=CONFIG, environment=environment, launcher=SURVIVORS_LIVE)


def run_with_fault(job: Job, serving: Servers, fault: str, *, timeout=15.0, **keywords) -> Outcome:
    with start(job, serving, fault, **keywords) as running:
        running.wait_for("fault at ")
        begin = time.monotonic()
        # The launcher itself may hang after a death that it should ignore.
        while any(works_in(pid, running.folder) for pid in running.rank_pids()):
            assert time.monotonic() < begin + timeout, f"hung:\n{running.log.read_text(errors='replace')}"
            time.sleep(0.02)
        seconds = time.monotonic() - begin
        wait_for_silence(running)
    output = running.log.read_text(errors="replace")
    return Outcome(running.folder, output, find_errors(said(running.folder)), seconds)


def said(folder: Path) -> str:
    """The players' own log: the launcher may lose the last lines of ranks that outlive another."""
    return "".join(path.read_text(errors="replace") for path in sorted(folder.glob("said.*")))


def wait_for_silence(running: Running) -> None:
    """The launcher forwards the output of ranks some time after they have ended."""
    size, quiet_since = -1, time.monotonic()
    while running.alive() and time.monotonic() < quiet_since + 0.5:
        now = running.log.stat().st_size
        if now != size:
            size, quiet_since = now, time.monotonic()
        time.sleep(0.02)


def pid_of(running: Running, rank: int) -> int:
    return int((running.folder / f"pid.{rank}").read_text())
