"""How a whole job is ordered to stop: `tailrace run` and a signal of choice reach all ranks through the launcher, which
Open MPI's mpirun does not do with SIGTERM. The model saves its state and ends in good order, with status 0."""

import os
import signal
import time

import pytest
from support.harness import Job, model, servers
from support.reading import commits
from support.stop_orders import (
    ASKS,
    CONFIG,
    ORDER,
    SCENARIO,
    assert_ended_in_good_order,
    assert_whole,
    outcome,
    run_by_tailrace,
    steps_of,
)


@pytest.mark.mpich
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_tailrace_run(tmp_path, number):
    with run_by_tailrace(tmp_path / "job", servers(1), **ASKS) as running:
        running.wait_for("STEP 25\n")
        running.process.send_signal(number)
        result = running.wait()
    assert_ended_in_good_order(result, ORDER.name)
    assert f"tailrace: {number.name}: the job is ordered to stop ({ORDER.name}) and has 20 s" in result.output
    assert f"The run was ended by {ORDER.name}" in result.output and "failed" not in result.output


def test_a_model_that_does_not_ask(tmp_path):
    """It is given a moment, then its files are closed and its next call fails, long before the grace is over."""
    # A rank that got the error must not keep others waiting in the model.
    with run_by_tailrace(tmp_path / "job", servers(2, grace="60 s"), in_step=False) as running:
        running.wait_for("STEP 25\n")
        running.process.send_signal(signal.SIGTERM)
        begin = time.monotonic()
        result = running.wait()
    assert result.status != 0 and time.monotonic() - begin < 30, result.output
    assert f"ended by {ORDER.name} after step" in result.output
    finished = steps_of(result.output, "STEP")[-1]
    assert finished > 25
    assert_whole(result.folder, 25)
    assert outcome(result.folder) == f"ended by {ORDER.name}"


@pytest.mark.mpich
@pytest.mark.parametrize("count", [1, 2])
def test_the_stop_signal_through_the_launcher(tmp_path, count):
    serving = servers(count, stop_signal=ORDER.name)
    with Job(tmp_path).start(model(2, **SCENARIO, **ASKS), serving, config=CONFIG) as running:
        running.wait_for("STEP 25\n")
        running.process.send_signal(ORDER)
        result = running.wait()
    assert_ended_in_good_order(result, ORDER.name)


def test_sigusr1_as_the_stop_signal(tmp_path):
    """It then has no second meaning. Sent to the ranks, since it depends on the launcher which ones it passes on."""
    serving = servers(1, stop_signal="SIGUSR1")
    with Job(tmp_path).start(model(2, **SCENARIO, **ASKS), serving, config=CONFIG) as running:
        running.wait_for("STEP 25\n")
        for pid in running.rank_pids():
            os.kill(pid, signal.SIGUSR1)
        result = running.wait()
    assert_ended_in_good_order(result, "SIGUSR1")


@pytest.mark.parametrize("count, transport", [(1, "shm"), (2, "shm"), (1, "mpi")])
def test_what_is_complete_is_committed_before_the_signal(tmp_path, count, transport):
    """SIGCONT announces the end, under Open MPI's mpirun a second before SIGTERM and SIGKILL. The job goes on, with
    early commits, and is then killed without another signal."""
    serving = servers(count, transport=transport)
    with Job(tmp_path).start(model(2, **SCENARIO), serving, config=CONFIG) as running:
        running.wait_for("STEP 40\n")
        for pid in running.rank_pids():
            os.kill(pid, signal.SIGCONT)
        end = time.monotonic() + 30
        # Early commits follow each other for some seconds. A rank may be a step behind the first one, and a step counts
        # when the next one begins.
        while commits(running.folder).get("now.nc", {}).get("time", 0) < 38:
            assert time.monotonic() < end and running.alive()
            time.sleep(0.005)
        running.kill()
    assert_whole(running.folder, 38)


def test_no_handlers_no_order(tmp_path):
    """With `signals: none` the launcher gets the signal itself."""
    with run_by_tailrace(tmp_path / "job", servers(1, signals="none")) as running:
        running.wait_for("STEP 5\n")
        running.process.send_signal(signal.SIGTERM)
        result = running.wait()
    assert result.status != 0 and "ordered to stop" not in result.output
    assert not (result.folder / "tailrace_report" / "report.json").exists()
