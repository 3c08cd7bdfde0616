"""on_server_loss: continue. A server dies, throws or exits; the model, whose ranks exchange halos, continues to its end
without output and with one warning, and the files contain all commits."""

import os
import re

import pytest
from support.harness import attached, field, inline, model, needs_survivors_of_signals, servers
from support.reading import commits, read
from support.survivors import CONFIG, GRID, MODELS, TIMES, pid_of, run_with_fault, start
from support.values import put_values

WARNING = "the model continues without output from"
LONG = "TAILRACE_TEST_FAULTS" in os.environ
PLACES = ["welcome", "declare", "set_up", "running", "goodbye"] if LONG else ["set_up", "running"]
TRANSPORTS = ["shm", "mpi"]


def fault_at(rank: int, place: str, way: str) -> str:
    return f"{rank}:{place}:{way}" + (":7" if place == "running" else "")


def going_on(serve, ranks=(), **options):
    return serve(*ranks, on_server_loss="continue", **options)


def assert_went_on(outcome, models: int = MODELS) -> None:
    assert outcome.output.count("FINISHED") == models, outcome.output
    assert outcome.errors == []
    assert "UNEXPECTED" not in outcome.output, outcome.output
    assert f"LOST {only_warning(outcome.output)}" in outcome.output
    assert outcome.output.count("\nLOST ") == models, outcome.output


def only_warning(output: str) -> str:
    told = re.findall(rf"tailrace: warning: (.*{WARNING}.*)", output)
    assert len(told) == 1, output
    return told[0]


def assert_commits_hold(folder) -> None:
    shape = tuple(GRID["shape"])
    for name, lengths in commits(folder).items():
        w = read(folder / name).w.values
        assert len(w) >= lengths["time"]
        for record in range(len(w)):
            assert (w[record] == put_values(0, shape, TIMES[record], record + 1)).all(), f"{name}: record {record}"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("way", ["kill", "throw", "exit"] if LONG else ["kill", "throw"])
@pytest.mark.parametrize("victim", [MODELS, MODELS + 1], ids=["first", "second"])
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_the_model_continues_when_one_of_two_servers_is_lost(job, transport, victim, way, place):
    serving = going_on(servers, (2,), transport=transport)
    outcome = run_with_fault(job, serving, fault_at(victim, place, way), exchange_values=200)
    if place == "goodbye":  # the files are complete, and only the clients of that server lack its message
        assert outcome.output.count("FINISHED") == MODELS, outcome.output
        assert outcome.errors == []
    else:
        assert_went_on(outcome)
    assert_commits_hold(outcome.folder)


@pytest.mark.parametrize("way", ["kill", "throw"])
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_the_model_continues_without_any_server(job, transport, way):
    serving = going_on(servers, (1,), transport=transport)
    outcome = run_with_fault(job, serving, fault_at(MODELS, "running", way), exchange_values=200)
    assert_went_on(outcome)
    assert_commits_hold(outcome.folder)


@pytest.mark.parametrize("way", ["kill", "throw"])
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_ranks_that_wait_for_room_continue(job, transport, way):
    """The buffer holds one packet of 53 KB."""
    serving = going_on(servers, (1,), transport=transport, buffer="64 KiB")
    fault = fault_at(MODELS, "running", way)
    outcome = run_with_fault(job, serving, fault, pace=0.0, steps=2000, shape=(3, 40, 110), exchange_values=200)
    assert_went_on(outcome)


@pytest.mark.parametrize("place", [place for place in PLACES if place != "welcome"])
@pytest.mark.parametrize("serve", [attached, inline], ids=["attached", "inline"])
def test_the_model_continues_when_the_server_in_a_model_rank_throws(job, serve, place):
    outcome = run_with_fault(job, going_on(serve), fault_at(1, place, "throw"), exchange_values=200)
    if place == "goodbye":  # the files are complete, and only that rank lacks a message
        assert outcome.output.count("FINISHED") == MODELS, outcome.output
        assert outcome.errors == []
    else:
        assert_went_on(outcome)
    assert_commits_hold(outcome.folder)


@pytest.mark.parametrize("serve", [attached, inline], ids=["attached", "inline"])
def test_start_reports_a_server_that_cannot_begin(job, serve):
    """The model continues after `start`. Its ranks do not communicate; otherwise all would end together."""
    outcome = run_with_fault(job, going_on(serve), fault_at(1, "welcome", "throw"))
    assert outcome.output.count("FINISHED") == MODELS - 1, outcome.output
    assert [(code, message.strip()) for code, message in outcome.errors] == [(6, "a fault at welcome")]
    assert f"LOST {only_warning(outcome.output)}" in outcome.output


@pytest.mark.parametrize("serve", [attached, inline], ids=["attached", "inline"])
def test_the_other_ranks_continue_when_one_is_killed_with_its_server(job, serve):
    """In a model whose ranks do not communicate; otherwise they would wait for that rank."""
    assert_went_on(run_with_fault(job, going_on(serve), fault_at(1, "running", "kill")), models=1)


@pytest.mark.parametrize("serving", [(servers, (2,)), (attached,), (inline,)], ids=["dedicated", "attached", "inline"])
def test_a_plain_launcher_lets_the_job_end_in_order(job, serving):
    """A server that throws ends with status 0, and waits for the others in MPI_Finalize."""
    times = [float(step) for step in range(1, 61)]
    player = model(2, grids=[GRID], fields=[field("w", "les")], times=times, pace=0.02)
    environment = {"TAILRACE_FAULT_AT": "1:running:throw:7" if serving[0] is not servers else "3:running:throw:7"}
    result = job(player, going_on(*serving), config=CONFIG, environment=environment)
    # (Not `finished`: messages to that server are never received.)
    assert result.status == 0 and result.output.count("FINISHED") == 2, result.output
    assert f"LOST {only_warning(result.output)}" in result.output
    assert_commits_hold(result.folder)


def test_the_warning_says_what_is_complete(job):
    outcome = run_with_fault(job, going_on(servers, (1,)), fault_at(MODELS, "running", "kill"), exchange_values=200)
    text = only_warning(outcome.output)
    assert f"server 0 (rank {MODELS} of the run, process" in text
    assert "is gone: its process ended" in text
    step = int(re.search(r"from step (\d+) \(", text)[1])
    assert 7 <= step < 60
    promised = commits(outcome.folder)
    assert promised.keys() == {"a.nc", "b.nc"}
    for name, lengths in promised.items():
        assert f"{name} up to {TIMES[lengths['time'] - 1]:g} s" in text, text


def test_a_misuse_is_still_reported(job):
    fault = {"kind": "back_in_time", "rank": 0, "step": 50}
    outcome = run_with_fault(job, going_on(servers, (1,)), fault_at(MODELS, "running", "kill"), fault_of_model=fault)
    assert any("time never goes back" in message for _, message in outcome.errors), outcome.output


@needs_survivors_of_signals
def test_a_dead_model_rank_is_not_a_lost_server(job):
    with start(job, going_on(servers, (1,)), "", steps=2000) as running:
        running.wait_for("STEP 5\n")
        os.kill(pid_of(running, 1), 9)
        running.wait_for("is gone (its process ended)", timeout=5.0)
        running.wait_for("ERROR 4", timeout=5.0)
        assert WARNING not in running.log.read_text()
