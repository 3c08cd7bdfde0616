"""The time that a model waits in `finish` is in the report, although its counters are sent when `finish` begins."""

import json
import re

import pytest
from support.harness import Running, mpi_environment

CONFIG = """
tailrace: 1
servers: {{mode: {mode}, {more}}}
fields: {{state: {{every: 1 step, names: [h]}}}}
output: {{h.nc: {{variables: [{{field: h, time: mean, every: 5 s}}]}}}}
"""
# Rank 1 comes to finish a second after rank 0, which waits for it there, as finish is collective.
MODEL = """
import os
import time
import numpy as np
import tailrace
from mpi4py import MPI

with tailrace.Session.start(MPI.COMM_WORLD, "c.yaml") as io:
    if not io.is_server():
        rank = io.model_comm().rank
        io.grid("line", dims=["x"], shape=[4], offset=[2 * rank], count=[2])
        io.field("h", grid="line")
        io.ready()
        for step in range(1, 11):
            io.step(step, float(step))
            io.put("h", np.ones(2))
        if rank == 1:
            while not os.path.exists("rank 0 finishes"):
                time.sleep(0.001)
            time.sleep(1.0)
        begin = time.monotonic()
        if rank == 0:
            open("rank 0 finishes", "w").close()
        io.finish()
        print(f"RANK {rank} {time.monotonic() - begin}", flush=True)
"""


@pytest.mark.parametrize(
    ("mode", "ranks", "more"),
    [
        ("dedicated", 3, "count: 1, transport: shm"),
        ("dedicated", 3, "count: 1, transport: mpi"),
        ("attached", 2, "threads: 1"),
    ],
)
def test_waiting_in_finish_is_reported(tmp_path, mode, ranks, more):
    (tmp_path / "c.yaml").write_text(CONFIG.format(mode=mode, more=more))
    (tmp_path / "model.py").write_text(MODEL)
    command = ["mpirun", "-n", str(ranks), "python", "model.py"]
    with Running(command, tmp_path, mpi_environment()) as running:
        result = running.wait(60).finished()
    report = json.loads((tmp_path / "tailrace_report" / "report.json").read_text())
    told = {client["rank"]: client["finish_seconds"] for client in report["clients"]}
    # The output of two ranks may be on one line.
    seen = {int(rank): float(seconds) for rank, seconds in re.findall(r"RANK (\d+) ([\d.]+)", result.output)}
    assert seen[0] >= 1.0, "rank 0 did not wait for rank 1"
    assert told[0] >= 0.5
    for rank in (0, 1):
        # (0 if it waited less than the servers' message that all is set up had taken to arrive.)
        assert 0 <= told[rank] < report["run"]["seconds"]
