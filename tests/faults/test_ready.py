"""An error on one rank or server within `ready` ends the job with its reason: no other rank waits for it."""

import pytest
from support.harness import attached, inline, servers
from support.survivors import MODELS, run_with_fault

SERVING = {
    "shm": servers(2, transport="shm"),
    "mpi": servers(2, transport="mpi"),
    "attached": attached(),
    "inline": inline(),
}
SECONDS = 5.0
SHARED = "ready failed on all ranks; the first rank of the component reports the reason"


@pytest.mark.parametrize("mode", SERVING)
@pytest.mark.parametrize("rank", range(MODELS))
def test_a_rank_that_fails_after_the_agreement(job, rank, mode):
    """The servers, which wait for it, pass its error on to all ranks."""
    outcome = run_with_fault(job, SERVING[mode], f"{rank}:plan:throw")
    told = [message.strip() for _, message in outcome.errors]
    assert len([message for message in told if "a fault at plan" in message]) == 1, outcome.output
    assert SHARED in told, outcome.output
    assert outcome.output.count("FINISHED") == 0
    assert outcome.seconds < SECONDS, outcome.output


@pytest.mark.parametrize("mode", SERVING)
@pytest.mark.parametrize("place", ["declare", "set_up", "statics"])
def test_a_rank_or_server_that_fails_later(job, mode, place):
    """A server that cannot go on, or a rank that cannot send its coordinates once all servers are set up."""
    has_servers = mode in ("shm", "mpi")
    victim = MODELS if has_servers and place != "statics" else 1
    outcome = run_with_fault(job, SERVING[mode], f"{victim}:{place}:throw")
    assert f"a fault at {place}" in outcome.output, outcome.output
    assert outcome.output.count("FINISHED") == 0, outcome.output
    assert outcome.seconds < SECONDS, outcome.output
