"""A rank that dies during the bootstrap in `start` is reported to the others on its node, and one that does not arrive
is named, with a launcher that ends no other process."""

import os
import signal
import sys
import time

import pytest
from support.harness import Running, attached, inline, mpi_environment, servers
from support.survivors import CONFIG, MODELS, pid_of, player, run_with_fault, start

SECONDS = 5.0


def assert_all_others_are_told(outcome) -> None:
    """The last of them may also find another rank dead, which was informed and has ended."""
    told = [message for _, message in outcome.errors if "in start" in message]
    assert len(told) == MODELS + 1, outcome.output
    assert outcome.seconds < SECONDS, outcome.output


@pytest.mark.parametrize("place", ["hello", "groups"])
@pytest.mark.parametrize("way", ["kill", "exit"])
@pytest.mark.parametrize("victim", [0, MODELS], ids=["model", "server"])
def test_a_rank_that_dies_during_the_bootstrap(job, victim, way, place):
    outcome = run_with_fault(job, servers(2), f"{victim}:{place}:{way}")
    assert_all_others_are_told(outcome)
    assert f"rank {victim} of the run is gone: its process" in outcome.output


@pytest.mark.parametrize("serving", [attached(), inline(), servers(2)], ids=["attached", "inline", "servers"])
def test_a_rank_that_dies_while_groups_are_copied(job, serving):
    """MPI does this without blocking: the other ranks in it are informed."""
    outcome = run_with_fault(job, serving, "1:copies:kill")
    assert "rank 1 of the run is gone: its process" in outcome.errors[0][1]
    assert outcome.seconds < SECONDS


def test_a_rank_that_dies_before_its_server_is_made(job):
    outcome = run_with_fault(job, attached(), "1:hello:kill")
    assert "rank 1 of the run is gone: its process" in outcome.errors[0][1]
    assert outcome.seconds < SECONDS


def test_a_rank_that_throws_before_the_groups_are_made(job):
    outcome = run_with_fault(job, servers(2), f"{MODELS}:groups:throw")
    assert_all_others_are_told(outcome)
    assert f"rank {MODELS} of the run is lost in start: it ended with: a fault at groups" in outcome.output


@pytest.mark.parametrize("place", ["hello", "sources", "groups"])
@pytest.mark.parametrize("victim", [0, MODELS], ids=["model", "server"])
def test_a_rank_that_is_stopped_during_the_bootstrap_is_named_once(job, victim, place):
    with start(job, servers(2), f"{victim}:{place}:stop", steps=3) as running:
        running.wait_for(f"waiting for rank {victim} of the run, stopped by a signal", timeout=6 + SECONDS)
        os.kill(pid_of(running, victim), signal.SIGCONT)
        result = running.wait(20).finished()
    assert result.output.count("stopped by a signal") == 1, result.output
    assert result.output.count("FINISHED") == MODELS


def test_a_job_after_one_that_died_in_its_bootstrap(job):
    """Leftovers of that job are not mistaken for ranks of this one, whatever ids the launcher gives to its jobs."""
    run_with_fault(job, servers(2), "0:groups:exit")
    job(player(pace=0.0), servers(2), config=CONFIG).finished()


LATE = """
import os, time
import tailrace
from mpi4py import MPI

rank = MPI.COMM_WORLD.rank
if rank in (1, 2):
    while not os.path.exists("come"):
        time.sleep(0.01)
io = tailrace.Session.start(MPI.COMM_WORLD, "off.yaml")
io.ready()
io.finish()
print("FINISHED")
"""
OFF = """
tailrace: 1
servers: {mode: off}
fields: {}
output: {}
"""


def test_ranks_that_have_not_arrived_are_named_once(tmp_path):
    (tmp_path / "off.yaml").write_text(OFF)
    (tmp_path / "late.py").write_text(LATE)
    with Running(["mpirun", "-n", "4", sys.executable, "late.py"], tmp_path, mpi_environment()) as running:
        running.wait_for("of 4 ranks have not called start")
        time.sleep(2)  # in which it would be reported again
        (tmp_path / "come").touch()
        result = running.wait(60).finished()
    assert result.output.count("FINISHED") == 4
    assert result.output.count("of 4 ranks have not called start") == 1, result.output
    assert "s in start: 2 of 4 ranks have not called start, as seen from node " in result.output
    assert "(ranks on other nodes may have): 1, 2; every rank of the communicator" in result.output
