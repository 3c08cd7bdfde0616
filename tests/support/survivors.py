"""Jobs in which one rank is killed, stopped, throws or exits at a named place while the launcher ends nobody."""

import time
from dataclasses import dataclass

from support.harness import Job, Model, Running, Servers, block_grid, field, find_errors, model, works_in

# Open MPI then ends nobody because another process ended, or ended with an error.
LAUNCHER = ("--enable-recovery", "--mca", "orte_abort_on_non_zero_status", "0")
MODELS = 2
CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["w"]}},
    "output": {
        name: {"write_every": "1 step", "variables": [{"field": "w", "time": "snapshot", "every": "1 step"}]}
        for name in ("a.nc", "b.nc")
    },
}


@dataclass
class Outcome:
    output: str
    errors: list[tuple[int, str]]
    seconds: float  # from the fault until every survivor had ended


def player(*, pace=0.02, steps=60, shape=(3, 14, 22)) -> Model:
    return model(
        MODELS,
        grids=[block_grid(shape=shape)],
        fields=[field("w", "les")],
        times=[float(step) for step in range(1, steps + 1)],
        pace=pace,
        exchange_values=0,  # a model rank that ends would leave the other in the model's own communication
        report_steps=True,
    )


def start(job: Job, serving: Servers, fault: str, **keywords) -> Running:
    """Two model ranks, and servers or none. `fault` as in TAILRACE_FAULT_AT, such as `3:welcome:kill`."""
    environment = {"TAILRACE_FAULT_AT": fault, "PLAYER_LEAVES_AT_ONCE": "1"}
    return job.start(player(**keywords), serving, config=CONFIG, environment=environment, launcher=LAUNCHER)


def run_with_fault(job: Job, serving: Servers, fault: str, *, timeout=15.0, **keywords) -> Outcome:
    with start(job, serving, fault, **keywords) as running:
        running.wait_for("fault at ")
        begin = time.monotonic()
        # The launcher itself may hang after a death that it was told to live with.
        while any(works_in(pid, running.folder) for pid in running.rank_pids()):
            assert time.monotonic() < begin + timeout, f"hung:\n{running.log.read_text(errors='replace')}"
            time.sleep(0.02)
        seconds = time.monotonic() - begin
        wait_for_silence(running)
    output = running.log.read_text(errors="replace")
    return Outcome(output, find_errors(output), seconds)


def wait_for_silence(running: Running) -> None:
    """The launcher passes on what the ranks have printed some time after they have ended."""
    size, quiet_since = -1, time.monotonic()
    while running.alive() and time.monotonic() < quiet_since + 0.5:
        now = running.log.stat().st_size
        if now != size:
            size, quiet_since = now, time.monotonic()
        time.sleep(0.02)


def pid_of(running: Running, rank: int) -> int:
    return int((running.folder / f"pid.{rank}").read_text())
