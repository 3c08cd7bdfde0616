"""Jobs in which one rank is killed, stopped, throws or exits at a named place while the launcher lets the others live."""

import time
from dataclasses import dataclass

from support.harness import Job, Result, Servers, block_grid, field, model

# Open MPI then ends nobody because another process ended.
LAUNCHER = ("--enable-recovery",)
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
    result: Result
    seconds: float  # from the fault until every survivor had ended


def run_with_fault(job: Job, serving: Servers, fault: str, *, pace=0.02, steps=60, timeout=30.0) -> Outcome:
    """Two model ranks, and servers or none. `fault` as in TAILRACE_FAULT_AT, such as `3:welcome:kill`."""
    player = model(
        MODELS,
        grids=[block_grid(shape=(3, 14, 22))],
        fields=[field("w", "les")],
        times=[float(step) for step in range(1, steps + 1)],
        pace=pace,
        exchange_values=0,  # a model rank that ends would leave the other in the model's own communication
    )
    environment = {"TAILRACE_FAULT_AT": fault, "PLAYER_LEAVES_AT_ONCE": "1"}
    with job.start(player, serving, config=CONFIG, environment=environment, launcher=LAUNCHER) as running:
        running.wait_for("fault at ")
        begin = time.monotonic()
        result = running.wait(timeout)
        return Outcome(result, time.monotonic() - begin)
