"""A server that dies, throws or is stopped while the launcher ends nobody: each model rank is told, as a value, within
5 s. (A run of a job with the fault takes about a second.)"""

import os
import signal
import time

import pytest
from support.harness import attached, inline, model, servers
from support.survivors import CONFIG, LAUNCHER, MODELS, run_with_fault

LOST, INTERNAL = 4, 6
SECONDS = 5.0
# Before welcome all ranks are alike; running: at its 7th step.
PLACES = ["sources", "welcome", "declare", "set_up", "running", "finish", "goodbye"]
DEDICATED = {
    "shm": servers(2, transport="shm"),
    "mpi": servers(2, transport="mpi"),
    "shm, full": servers(2, transport="shm", buffer="8 KiB"),
}


def fault_at(rank: int, place: str, way: str) -> str:
    return f"{rank}:{place}:{way}" + (":7" if place == "running" else "")


def assert_told(outcome, survivors: int, words: str) -> None:
    """Each survivor among the model ranks printed an error that says who is gone and how."""
    output = outcome.result.output
    told = [message for code, message in outcome.result.errors if words in message]
    assert len(told) >= survivors, output
    assert "FINISHED" not in output, output
    assert "UNEXPECTED" not in output, output
    assert outcome.seconds < SECONDS, output


def test_the_launcher_lets_survivors_live(job):
    player = model(2, times=[float(step) for step in range(1, 200)], pace=0.02, exchange_values=0, report_steps=True)
    environment = {"PLAYER_LEAVES_AT_ONCE": "1"}
    with job.start(player, servers(1), config=CONFIG | {"fields": {}, "output": {}}, environment=environment,
                   launcher=LAUNCHER) as running:  # fmt: skip
        running.wait_for("STEP 3")
        ranks = {int(path.suffix[1:]): int(path.read_text()) for path in running.folder.glob("pid.*")}
        os.kill(ranks[1], signal.SIGKILL)
        time.sleep(1.5)
        assert all(os.path.exists(f"/proc/{ranks[rank]}") for rank in (0, 2)), running.log.read_text()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("way", ["kill", "throw", "exit"])
@pytest.mark.parametrize("serving", DEDICATED)
def test_a_dedicated_server(job, serving, way, place):
    if way == "exit" and serving != "shm":
        pytest.skip("a process that exits is found like one that is killed")
    if serving == "shm, full" and place != "running":
        pytest.skip("a ring is full while steps are made only")
    pace = 0.0 if serving == "shm, full" else 0.02
    outcome = run_with_fault(job, DEDICATED[serving], fault_at(MODELS, place, way), pace=pace)
    assert_told(outcome, MODELS, "fault at" if way == "throw" else "gone")
