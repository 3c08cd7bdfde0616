"""SIGTERM and SIGINT at any moment: complete records are in the files, the log states their last time, and the report
the reason for the end."""

import json
import os
import signal

import numpy as np
import pytest
from support.harness import (
    MPI,
    Job,
    attached,
    block_grid,
    field,
    inline,
    model,
    needs_survivors_of_signals,
    servers,
)
from support.reading import read
from support.values import put_values, varying_times

TIMES = varying_times(4000, seed=11)
SHAPE = (3, 8, 13)
CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["w", "t"]}},
    "output": {
        "now.nc": {"write_every": "90000 s", "variables": [{"field": "w", "every": "1 step", "chunk": [5, 3, 2, 13]}]},
        "sums.nc": {"write_every": "900 steps", "variables": [{"field": "t", "time": "sum", "every": "3 steps"}]},
    },
}
SCENARIO = {
    "grids": [block_grid(shape=SHAPE)],
    "fields": [field("w", "les"), field("t", "les")],
    "times": TIMES,
    "report_steps": True,
    "pace": 0.004,
    "in_step": True,
}


# By default Open MPI's mpirun kills the remaining processes one second after the first rank has ended by a signal; it
# waits that long even if none remains.
PATIENT = {"OMPI_MCA_odls_base_sigkill_timeout": "5"}


def pid_of(folder, rank: int) -> int:
    return int((folder / f"pid.{rank}").read_text())


def steps_said(folder) -> int:
    """The last step that the first rank completed."""
    said = [line for line in (folder / "job.log").read_text(errors="replace").splitlines() if line.startswith("STEP ")]
    return int(said[-1].split()[1])


def outcome(folder) -> str:
    return json.loads((folder / "tailrace_report" / "report.json").read_text())["run"]["outcome"]


def assert_whole(folder, last: int) -> int:
    """All steps up to `last` are in the files, with the values that were put. Returns the number of steps."""
    now = read(folder / "now.nc")
    there = now.sizes["time"]
    assert there >= last, f"{there} records in now.nc, {last} steps were finished"
    np.testing.assert_array_equal(now.time.values, TIMES[:there])
    for i in range(there):
        np.testing.assert_array_equal(now.w.values[i], put_values(0, SHAPE, TIMES[i], i + 1))
    sums = read(folder / "sums.nc")
    windows = sums.sizes["time"]
    assert last // 3 <= windows <= -(-there // 3)
    assert windows > 0 or last < 3
    return there


def kill_all(folder, ranks: int, number: int) -> None:
    for rank in range(ranks):
        os.kill(pid_of(folder, rank), number)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("transport", ["shm", "mpi"])
def test_a_server_alone(tmp_path, number, transport):
    """The model continues until its servers are gone; each of its ranks gets the reason."""
    scenario = SCENARIO | {"in_step": False}  # a rank that got the error must not keep others waiting in the model
    serving = servers(2, transport=transport, grace="4 s", report=True)
    with Job(tmp_path).start(model(3, **scenario), serving, config=CONFIG) as running:
        running.wait_for("STEP 40\n")
        os.kill(pid_of(running.folder, 4), number)
        finished = steps_said(running.folder)
        result = running.wait()
    name = signal.Signals(number).name
    result.failed_with(f"ended by {name} after step", "all records that were complete are in the files")
    there = assert_whole(result.folder, finished)
    assert f"ended by {name}: now.nc is whole up to {TIMES[there - 1]:g}"[:40] in result.output
    assert outcome(result.folder) == f"ended by {name}"
    assert "FINISHED" not in result.output


@needs_survivors_of_signals
@pytest.mark.parametrize("ranks, serving", [(2, servers(1)), (3, servers(2, grace="3 s"))])
def test_all_ranks(tmp_path, ranks, serving):
    """Like the end of a job by a batch system: model ranks die at once, and the servers process their remaining
    data."""
    job = Job(tmp_path)
    for steps in (7, 55):
        with job.start(model(ranks, **SCENARIO), serving, config=CONFIG, environment=PATIENT) as running:
            running.wait_for(f"STEP {steps}\n")
            finished = steps_said(running.folder)
            kill_all(running.folder, ranks + serving.ranks, signal.SIGTERM)
            result = running.wait()
        # Another rank may be a step behind the first one, and a step counts when the next one begins.
        assert_whole(result.folder, finished - 2)
        assert outcome(result.folder) == "ended by SIGTERM"
        assert "now.nc is whole up to" in result.output


def test_mpirun(tmp_path):
    """mpirun forwards the signal to all, and is configured to leave the servers enough time."""
    with Job(tmp_path).start(model(2, **SCENARIO), servers(1), config=CONFIG, environment=PATIENT) as running:
        running.wait_for("STEP 60\n")
        finished = steps_said(running.folder)
        running.process.send_signal(signal.SIGTERM)
        result = running.wait()
    assert result.status != 0
    assert_whole(result.folder, finished - 2)


@pytest.mark.parametrize("serving", [servers(2), attached(), inline(), servers(2, transport="mpi")], ids=str)
def test_a_model_that_queries_the_request(tmp_path, serving):
    """It finishes, and nothing is missing."""
    serving.options["signals"] = "all"
    ranks = 3
    with Job(tmp_path).start(model(ranks, asks_stop=True, **SCENARIO), serving, config=CONFIG) as running:
        running.wait_for("STEP 25\n")
        kill_all(running.folder, ranks + serving.ranks, signal.SIGTERM)
        result = running.wait()
    result.finished()
    (stopped,) = [int(line.split()[1]) for line in result.output.splitlines() if line.startswith("STOPPING ")]
    assert assert_whole(result.folder, stopped) == stopped
    assert read(result.folder / "sums.nc").sizes["time"] == -(-stopped // 3)
    assert outcome(result.folder) == "ended by SIGTERM"


@needs_survivors_of_signals
@pytest.mark.parametrize("serving, environment", [(attached(), PATIENT), (inline(), {})], ids=str)
def test_the_signal_ends_model_and_servers(tmp_path, serving, environment):
    """The signal ends a model that does not query the request, as without Tailrace, once its files are closed. In mode
    inline they are closed within the calls of a model whose ranks exchange halos between them."""
    with Job(tmp_path).start(model(3, **SCENARIO), serving, config=CONFIG, environment=environment) as running:
        running.wait_for("STEP 30\n")
        finished = steps_said(running.folder)
        kill_all(running.folder, 3, signal.SIGTERM)
        result = running.wait()
    # By the signal, or by MPI if another rank ended first. (mpirun does not always report how.)
    assert result.status != 0 and "FINISHED" not in result.output
    assert_whole(result.folder, finished - 2)
    assert outcome(result.folder) == "ended by SIGTERM"


@needs_survivors_of_signals
def test_inline_informs_the_others(tmp_path):
    """One rank of three gets the signal. Once all files are closed the others are informed, and the first of them that
    leaves the model ends the job, or the signal does."""
    with Job(tmp_path).start(model(3, **SCENARIO), inline(), config=CONFIG) as running:
        running.wait_for("STEP 30\n")
        os.kill(pid_of(running.folder, 1), signal.SIGTERM)
        result = running.wait()
    said = 'the job ends; component "model": ended by SIGTERM after step'
    assert said in result.output or result.status == 128 + signal.SIGTERM, result.output
    assert_whole(result.folder, 28)
    assert outcome(result.folder) == "ended by SIGTERM"


def test_a_disk_that_is_too_slow_for_the_grace(tmp_path):
    """To close the files takes many writes: the server ends before, and does not report that they are whole. Records
    that were committed before are whole."""
    environment = PATIENT | {"TAILRACE_FILE_DELAY": "300000"}
    serving = servers(1, grace="1 s")
    scenario = SCENARIO | {"in_step": False}
    with Job(tmp_path).start(model(2, **scenario), serving, config=CONFIG, environment=environment) as running:
        running.wait_for("STEP 9\n")
        os.kill(pid_of(running.folder, 2), signal.SIGTERM)
        result = running.wait()
    assert result.status != 0
    assert "the servers end within 1 s (servers.grace)" in result.output
    assert "is whole up to" not in result.output, "the files were closed within the grace, or the grace was exceeded"
    if (result.folder / "now.nc").exists():
        assert_whole(result.folder, 0)


def test_off(tmp_path):
    """`signals: none`: signals end the servers like any program."""
    with Job(tmp_path).start(model(2, **SCENARIO), servers(1, signals="none"), config=CONFIG) as running:
        running.wait_for("STEP 20\n")
        os.kill(pid_of(running.folder, 2), signal.SIGTERM)
        result = running.wait()
    assert "FINISHED" not in result.output
    said = {"openmpi": "signal 15 (Terminated)", "mpich": "Terminated (signal 15)"}
    assert said[MPI] in result.output
    assert not (result.folder / "tailrace_report" / "report.json").exists()
