"""A run leaves no message that was not received: each rank checks this at its end, and the harness checks its output. A
run also does not depend on MPI's buffering of messages before they are received. Runs that end early do not depend on
it for messages of a rank to itself, which MPICH does not buffer."""

import subprocess

import pytest
from support.harness import attached, block_grid, field, inline, model, servers

pytestmark = pytest.mark.mpich

WAYS = {
    "shm": servers(2),
    "mpi": servers(2, transport="mpi"),
    "own_program": servers(2, own_program=True, transport="mpi"),
    "spill": servers(2, transport="mpi", buffer="64 KiB", when_full="spill"),
    "attached": attached(),
    "inline": inline(),
}
CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["w"]}},
    "diagnostics": {"highest": {"is": "max(w)", "units": "1"}},
    "output": {
        "w.nc": {
            "write_every": "3 steps",
            "variables": [{"field": "w", "every": "1 step"}, {"field": "highest", "every": "1 step"}],
        }
    },
}
SENDS = """
#include <mpi.h>
#include <stdlib.h>
int MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  int rank;
  PMPI_Comm_rank(comm, &rank);
  return (rank == to || !getenv("OWN_ALONE") ? PMPI_Issend : PMPI_Isend)(from, count, type, to, tag, comm, request);
}
"""


def play(ranks=3, **more):
    scenario = {"grids": [block_grid(shape=(3, 41, 113))], "fields": [field("w", "les")]} | more
    return model(ranks, times=[float(step) for step in range(1, 8)], **scenario)


@pytest.fixture(scope="module")
def nothing_is_buffered(tmp_path_factory) -> dict[str, str]:
    """Environment variables with which MPI sends no message before it is received."""
    folder = tmp_path_factory.mktemp("sends")
    (folder / "sends.c").write_text(SENDS)
    subprocess.run(["mpicc", "-shared", "-fPIC", "sends.c", "-o", "sends.so"], cwd=folder, check=True)
    return {"LD_PRELOAD": str(folder / "sends.so")}


@pytest.fixture
def nothing_of_its_own_is_buffered(nothing_is_buffered) -> dict[str, str]:
    return nothing_is_buffered | {"OWN_ALONE": "1"}


@pytest.mark.parametrize("way", WAYS)
def test_no_message_needs_a_buffer(job, nothing_is_buffered, way):
    job(play(), WAYS[way], config=CONFIG, environment=nothing_is_buffered, timeout=30.0).finished()


@pytest.mark.parametrize("way", WAYS)
def test_a_model_that_is_refused_in_ready_ends(job, nothing_is_buffered, way):
    config = CONFIG | {"diagnostics": {"highest": {"is": "max(no_such)", "units": "1"}}}
    result = job(play(), WAYS[way], config=config, environment=nothing_is_buffered, timeout=30.0)
    result.failed_with("no_such", code=2)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("way", ["shm", "attached", "inline"])
def test_a_model_that_leaves_before_ready_ends(job, nothing_of_its_own_is_buffered, way, ranks):
    """It does not receive its welcome, for which the server in its own process would wait indefinitely."""
    grids = [block_grid(shape=(3, 41, 113)), block_grid(shape=(2, 3, 5))]
    environment = nothing_of_its_own_is_buffered
    result = job(play(ranks, grids=grids), WAYS[way], config=CONFIG, environment=environment, timeout=30.0)
    assert len(result.errors) == ranks and all('"les"' in text for _, text in result.errors), result.output


@pytest.mark.parametrize("way", ["shm", "attached", "inline"])
def test_a_model_that_leaves_without_finish_ends(job, nothing_of_its_own_is_buffered, way):
    fault = {"kind": "leave", "rank": 0, "step": 5}
    environment = nothing_of_its_own_is_buffered
    result = job(play(1, fault=fault), WAYS[way], config=CONFIG, environment=environment, timeout=30.0)
    assert "LEFT" in result.output, result.output


@pytest.mark.parametrize("way", WAYS)
def test_every_message_is_received(job, way):
    player = play()
    result = job(player, WAYS[way], config=CONFIG, environment={"TAILRACE_LOG": "info"}).finished()
    ranks = 3 + WAYS[way].ranks
    assert result.output.count("all messages were received") == ranks, result.output


def test_a_component_that_ends_early_receives_all_messages(job):
    """Its servers continue for another component; their messages to its ranks are received before the ranks leave."""
    grids, fields = [block_grid(shape=(2, 11, 13))], [field("w", "les")]
    steps = [float(step) for step in range(1, 41)]
    early = model(2, component="early", grids=grids, fields=fields, times=steps[:2])
    late_config = CONFIG | {"output": {"late.nc": CONFIG["output"]["w.nc"]}}
    late = model(2, config=late_config, component="late", grids=grids, fields=fields, times=steps, pace=0.02)
    result = job(early, late, servers(2, transport="mpi"), config=CONFIG, environment={"TAILRACE_LOG": "info"})
    assert result.finished().output.count("all messages were received") == 6, result.output
