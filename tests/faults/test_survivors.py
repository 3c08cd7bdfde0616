"""A server that dies, throws or is stopped, with a launcher that ends no other process: each model rank gets the error
within 5 s.

The usual run covers a few places; TAILRACE_TEST_FAULTS=1 covers every message of the handshake in some minutes."""

import os
import signal
import time

import pytest
from support.harness import (
    attached,
    block_grid,
    find_errors,
    inline,
    needs_survivors_of_signals,
    off,
    servers,
    try_kill,
    works_in,
)
from support.survivors import MODELS, pid_of, run_with_fault, said, start

SECONDS = 5.0
# The messages of the handshake at a server; `running` is at its 7th step.
ALL_PLACES = ["sources", "welcome", "declare", "set_up", "running", "finish", "goodbye"]
KILL = pytest.param("kill", marks=needs_survivors_of_signals)
PLACES = ALL_PLACES if "TAILRACE_TEST_FAULTS" in os.environ else ["welcome", "running"]


def fault_at(rank: int, place: str, way: str) -> str:
    return f"{rank}:{place}:{way}" + (":7" if place == "running" else "")


def assert_told(outcome, survivors: int, words: str) -> None:
    """So many ranks printed an error that names the lost server and the cause."""
    told = [message for code, message in outcome.errors if words in message]
    assert len(told) >= survivors, outcome.output
    assert "UNEXPECTED" not in outcome.output, outcome.output
    assert outcome.seconds < SECONDS, outcome.output


def words_for(way: str) -> str:
    return "fault at" if way == "throw" else "gone"


@needs_survivors_of_signals
def test_the_launcher_lets_survivors_live(job):
    with start(job, off(), "", steps=2000) as running:
        running.wait_for("STEP 3")
        os.kill(pid_of(running, 1), signal.SIGKILL)
        lines = running.log.read_text().count("STEP")
        running.wait_for(f"STEP {lines + 50}\n")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("way", [KILL, "throw"])
@pytest.mark.parametrize("transport", ["shm", "mpi"])
def test_a_dedicated_server(job, transport, way, place):
    outcome = run_with_fault(job, servers(2, transport=transport), fault_at(MODELS, place, way))
    # At goodbye all files are complete: only the clients of that server lack a message.
    assert_told(outcome, 1 if place == "goodbye" else MODELS, words_for(way))


@needs_survivors_of_signals
def test_a_server_that_dies_with_a_large_message_under_way_to_it(job):
    """The other server, which forwards the message, does not wait for it. (MPI sends it in pieces, on demand.)"""
    level = {"name": "z", "units": "m", "first": 10.0, "spacing": 20.0, "attributes": {"comment": 9000 * "long "}}
    grid = block_grid(shape=(3, 14, 22), coordinates=[level])
    serving = servers(2, watchdog="1 s")
    with start(job, serving, f"{MODELS + 1}:welcomed:stop", grid=grid) as running:
        running.wait_for("which is stopped by a signal")  # all have declared, and wait for it
        begin = time.monotonic()
        try_kill(pid_of(running, MODELS + 1))
        while any(works_in(pid, running.folder) for pid in running.rank_pids()):
            assert time.monotonic() < begin + SECONDS, running.log.read_text(errors="replace")
            time.sleep(0.02)
    told = [message for _, message in find_errors(said(running.folder)) if "gone" in message]
    assert len(told) == MODELS + 1  # the other server too


@pytest.mark.parametrize("place", PLACES)
def test_a_server_that_exits(job, place):
    outcome = run_with_fault(job, servers(2), fault_at(MODELS + 1, place, "exit"))
    assert_told(outcome, 1 if place == "goodbye" else MODELS, "gone")


@pytest.mark.parametrize("way", [KILL, "throw"])
@pytest.mark.parametrize("transport", ["shm", "mpi"])
def test_a_server_whose_clients_wait_for_room(job, transport, way):
    """The buffer holds one packet of 53 KB."""
    serving = servers(1, transport=transport, buffer="64 KiB")
    fault = fault_at(MODELS, "running", way)
    outcome = run_with_fault(job, serving, fault, pace=0.0, steps=2000, shape=(3, 40, 110))
    assert_told(outcome, MODELS, words_for(way))


@pytest.mark.parametrize("way", [KILL, "throw", "exit"])
def test_a_server_in_a_model_rank_whose_clients_wait_for_room(job, way):
    """The server is slower than the model, and the buffer holds one packet."""
    slow = {"TAILRACE_FILE_DELAY": "20000"}
    outcome = run_with_fault(
        job,
        attached(buffer="64 KiB"),
        fault_at(1, "running", way),
        pace=0.0,
        steps=2000,
        shape=(3, 40, 110),
        environment=slow,
    )
    assert_told(outcome, 2 if way == "throw" else 1, words_for(way))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("way", [KILL, "throw", "exit"])
@pytest.mark.parametrize("mode", ["attached", "inline"])
def test_a_server_in_a_model_rank(job, mode, way, place):
    serving = attached() if mode == "attached" else inline()
    outcome = run_with_fault(job, serving, fault_at(1, place, way))
    if place == "goodbye" and way != "throw":
        assert outcome.seconds < SECONDS, outcome.output  # the other server has completed all files
    else:
        assert_told(outcome, 2 if way == "throw" and place != "goodbye" else 1, words_for(way))


def test_a_server_that_is_stopped_is_named_while_no_rank_waits_for_it(job):
    """The buffers hold all that the model puts meanwhile."""
    serving = servers(1, watchdog="1 s", buffer="64 MiB")
    with start(job, serving, fault_at(MODELS, "running", "stop"), steps=60, pace=0.1) as running:
        running.wait_for(
            "was stopped by a signal; the model continues until the buffers are full", timeout=1.5 + SECONDS
        )
        assert "has waited" not in running.log.read_text()
        os.kill(pid_of(running, MODELS), signal.SIGCONT)
        result = running.wait(20).finished()
    assert result.output.count("stopped by a signal") == 1, result.output
    assert result.output.count("FINISHED") == MODELS


@pytest.mark.parametrize("place", [place for place in PLACES if place in ("welcome", "set_up", "running", "goodbye")])
def test_a_server_that_is_stopped_is_named(job, place):
    with start(job, servers(1, watchdog="1 s"), fault_at(MODELS, place, "stop"), steps=20) as running:
        running.wait_for("which is stopped by a signal", timeout=1.5 + SECONDS)
        assert "of the run has waited" in running.log.read_text()
        os.kill(pid_of(running, MODELS), signal.SIGCONT)
        result = running.wait(20).finished()
    assert result.output.count("FINISHED") == MODELS
