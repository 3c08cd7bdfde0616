"""The placement of a server's threads, and warnings about ranks that the launcher bound badly."""

import os
from pathlib import Path

import numpy as np
import pytest
from support.harness import (
    CONFIGURATION,
    PLAYER,
    Running,
    block_grid,
    field,
    model,
    mpi_environment,
    mpirun_command,
    servers,
    write_configuration,
)
from support.reading import read
from support.values import put_values

CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["w"]}},
    "output": {"w.nc": {"write_every": "1 step", "variables": [{"field": "w", "every": "1 step"}]}},
}
SHAPE = (3, 8, 13)
CPUS = sorted(os.sched_getaffinity(0))
pytestmark = pytest.mark.skipif(len(CPUS) < 2, reason="takes two cores")


def start(folder: Path, of_model: list[int], of_server: list[int], **options) -> Running:
    """A model rank and a server that are bound to these cores."""
    bind = ["taskset", "-c", ",".join(map(str, of_server))]
    serving = servers(1, own_program=True, command=(*bind, str(PLAYER), "--serve"), **options)
    times = [float(step) for step in range(1, 200)]
    player = model(1, grids=[block_grid()], fields=[field("w", "les")], times=times, pace=0.01, report_steps=True)
    write_configuration(folder / CONFIGURATION, CONFIG, serving)
    command = mpirun_command([player], serving, folder)
    first = command.index(str(PLAYER))
    command[first:first] = ["taskset", "-c", ",".join(map(str, of_model))]
    return Running(command, folder, mpi_environment())


def cores_of_threads(pid: int) -> dict[str, set[int]]:
    """Name of a thread -> cores on which it may run."""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        status = dict(line.split(":\t", 1) for line in (task / "status").read_text().splitlines() if ":\t" in line)
        cores = set()
        for part in status["Cpus_allowed_list"].split(","):
            first, _, last = part.partition("-")
            cores |= set(range(int(first), int(last or first) + 1))
        found[(task / "comm").read_text().strip()] = cores
    return found


@pytest.mark.parametrize("pin", ["auto", "none"])
def test_a_server_keeps_off_the_cores_of_the_model(tmp_path, pin):
    with start(tmp_path, CPUS[:1], CPUS[:2], pin=pin) as running:
        running.wait_for("STEP 3\n")
        (server,) = [pid for pid in running.rank_pids() if "tailrace-io" in cores_of_threads(pid)]
        threads = cores_of_threads(server)
        result = running.wait().finished()
    wanted = {CPUS[1]} if pin == "auto" else set(CPUS[:2])
    assert {name: threads[name] for name in ("tailrace-server", "tailrace-work", "tailrace-io")} == dict.fromkeys(
        ("tailrace-server", "tailrace-work", "tailrace-io"), wanted
    )
    assert "share" not in result.output


def test_a_shared_core_is_reported(tmp_path):
    with start(tmp_path, CPUS[:1], CPUS[:1]) as running:
        result = running.wait().finished()
    assert "1 of 1 server ranks are bound to the same core as a model rank" in result.output
    assert f"rank 1 and model rank 0 share core {CPUS[0]}" in result.output


@pytest.mark.parametrize(
    ("options", "far"),
    [
        ({"per_node": 1}, ""),
        ({"count": 2}, "all 2 servers are on one of 2 nodes, and 4 of 5 model ranks"),
        ({"count": 1}, "4 of 6 model ranks have no server on their node"),
    ],
    ids=str,
)
def test_each_node_gets_its_servers(job, options, far):
    """Seven ranks on two simulated nodes, with four and three ranks. With `count` the last ranks are servers."""
    serving = servers(options.get("count", 2), **options)
    times = [1.0, 2.0, 3.0]
    player = model(7 - serving.ranks, grids=[block_grid(shape=SHAPE)], fields=[field("w", "les")], times=times)
    nodes = {"TAILRACE_NODES": "first,first,first,first,second,second,second"}
    result = job(player, serving, config=CONFIG, environment=nodes).finished()
    assert far in result.output if far else "on their node" not in result.output, result.output
    assert np.array_equal(read(result.path("w.nc")).w, [put_values(0, SHAPE, time, int(time)) for time in times])
