"""Servers on other nodes, whose processes a rank cannot see. TAILRACE_NODES simulates several nodes on one machine."""

import os
import signal

import pytest
from support.harness import needs_survivors_of_signals, servers
from support.survivors import MODELS, pid_of, run_with_fault, start

SECONDS = 5.0
# By rank: two model ranks, then servers.
NODES = {
    "each with its server": "a,b,a,b",
    "servers apart": "a,a,b,b",
    "all apart": "a,a,b,c",
}


@pytest.mark.parametrize("way", ["kill", "throw"])
@pytest.mark.parametrize("victim", [MODELS, MODELS + 1], ids=["first", "second"])
@pytest.mark.parametrize("where", ["each with its server", "servers apart"])
def test_a_loss_that_one_process_sees_is_reported_to_all(job, where, victim, way):
    outcome = run_with_fault(job, servers(2), f"{victim}:running:{way}:7", nodes=NODES[where])
    words = "fault at" if way == "throw" else "is gone: its process ended"
    assert sum(words in message for _, message in outcome.errors) >= MODELS, outcome.output
    assert outcome.seconds < SECONDS, outcome.output


@pytest.mark.parametrize("where", ["each with its server", "servers apart"])
def test_the_model_continues(job, where):
    outcome = run_with_fault(
        job,
        servers(2, on_server_loss="continue"),
        f"{MODELS + 1}:running:kill:7",
        nodes=NODES[where],
        exchange_values=200,
    )
    assert outcome.output.count("FINISHED") == MODELS, outcome.output
    assert outcome.output.count("tailrace: warning: server 1") == 1, outcome.output


@pytest.mark.parametrize(
    ("where", "place"),
    [("a,a,b", "declare"), ("a,c,b", "set_up"), ("a,a,b", "running"), ("a,c,b", "goodbye")],
)
def test_the_death_of_a_server_that_is_alone_on_its_node_is_an_error(job, where, place):
    """No other process sees it, but the connections to it close."""
    outcome = run_with_fault(job, servers(1, transport="mpi"), f"{MODELS}:{place}:kill", nodes=where)
    assert sum("is gone: its process ended" in message for _, message in outcome.errors) >= MODELS, outcome.output
    assert outcome.seconds < SECONDS, outcome.output


@pytest.mark.parametrize(("victim", "place"), [(MODELS, "running"), (MODELS + 1, "set_up"), (MODELS + 1, "goodbye")])
def test_its_death_is_reported_to_the_other_servers_and_their_clients(job, place, victim):
    outcome = run_with_fault(job, servers(2), f"{victim}:{place}:kill", nodes=NODES["all apart"])
    # At the end a rank may already have its own server's goodbye.
    least = 1 if place == "goodbye" else MODELS
    assert sum("is gone: its process ended" in message for _, message in outcome.errors) >= least, outcome.output
    assert outcome.seconds < SECONDS, outcome.output


@needs_survivors_of_signals
def test_a_model_waits_in_finish_for_no_server_that_died_alone(job):
    with start(job, servers(1, watchdog="1 min"), "", steps=60, nodes="a,a,b") as running:
        running.wait_for("STEP 50\n")
        os.kill(pid_of(running, MODELS), signal.SIGKILL)
        running.wait_for("is gone: its process ended", timeout=SECONDS)


@pytest.mark.parametrize(
    "way",
    [
        pytest.param(signal.SIGSTOP, id="stop"),
        pytest.param(signal.SIGKILL, id="kill", marks=needs_survivors_of_signals),
    ],
)
def test_a_server_that_no_process_sees_is_reported_as_silent(job, way):
    """All wait in finish for a server that is alone on its node. For the killed one there is no TCP failure detection:
    its system does not let it listen on any port."""
    fault = f"{MODELS}:listen:throw" if way == signal.SIGKILL else ""
    environment = {"TAILRACE_LOG": "info"}
    with start(job, servers(1, watchdog="3 s"), fault, steps=60, nodes="a,a,b", environment=environment) as running:
        running.wait_for("STEP 50\n")
        if fault:
            running.wait_for("server 0: a fault at listen; if it dies, ranks on other nodes", timeout=10)
        os.kill(pid_of(running, MODELS), way)
        for rank in range(MODELS):
            running.wait_for(
                f"rank {rank} of the run has waited 3 s for server 0 (rank {MODELS} of the run", timeout=10
            )
        running.wait_for("which has not answered for", timeout=10)
        assert ("which cannot be watched by TCP" in running.log.read_text()) == bool(fault)
        running.wait_for("to close its files", timeout=10)
        if way == signal.SIGSTOP:
            os.kill(pid_of(running, MODELS), signal.SIGCONT)
            result = running.wait(20).finished()
            assert result.output.count("FINISHED") == MODELS


def test_a_far_server_that_is_only_slow_is_not_reported_as_silent(job):
    """Each write takes 0.2 s; the model waits for it in finish."""
    environment = {"TAILRACE_FILE_DELAY": "200000"}
    with start(job, servers(1, watchdog="1 s"), "", steps=20, nodes="a,a,b", environment=environment) as running:
        running.wait_for("rank 0 of the run has waited", timeout=30)
        assert "has not answered" not in running.log.read_text()


def test_a_regular_end_is_not_a_loss(job):
    with start(
        job, servers(2), "", steps=20, nodes=NODES["all apart"], environment={"TAILRACE_LOG": "info"}
    ) as running:
        result = running.wait(30).finished()
    assert result.output.count("FINISHED") == MODELS
    assert "is gone" not in result.output and "cannot connect to it by TCP" not in result.output, result.output


def test_servers_of_different_nodes_name_each_other(job):
    with start(job, servers(2, watchdog="1 s"), "", steps=600, nodes=NODES["all apart"]) as running:
        running.wait_for("STEP 10\n")
        os.kill(pid_of(running, MODELS + 1), signal.SIGSTOP)
        running.wait_for(
            f"server 1 (rank {MODELS + 1} of the run, process {pid_of(running, MODELS + 1)}) has not answered"
        )
        os.kill(pid_of(running, MODELS + 1), signal.SIGCONT)
