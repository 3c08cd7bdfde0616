"""Ranks of a model that wait for each other between two calls of Tailrace, like in every model with halos: no mode may
depend on a rank that may be waiting in the model's own communication (deadlock)."""

import pytest
from support.harness import attached, block_grid, field, inline, model, servers
from support.reading import read
from support.values import put_values, varying_times

pytestmark = pytest.mark.mpich

TIMES = varying_times(40, seed=11)
SHAPE = (3, 14, 22)
STEPS = {"every": "1 step"}
WHOLE = {"field": "w", "time": "snapshot", "chunk": [2, 3, 14, 22]}  # chunks that span the ranks
CONFIG = {
    "fields": {"state": STEPS | {"names": ["w", "t"]}},
    "diagnostics": {"top": {"is": "max(w)"}},
    "output": {  # three owners of files
        "now.nc": {"write_every": "1 step", "variables": [STEPS | WHOLE]},
        "mean.nc": {"write_every": "2 steps", "variables": [STEPS | {"field": "t", "time": "mean"}]},
        "top.nc": {"write_every": "3 steps", "variables": [STEPS | {"field": "top", "time": "snapshot"}]},
    },
}
SERVING = {"inline": inline(), "attached": attached(), "shm": servers(2), "mpi": servers(2, transport="mpi")}


def assert_right(path, shape, steps: int) -> None:
    now = read(path)
    assert len(now.w) == steps
    for i in range(steps):
        assert (now.w.values[i] == put_values(0, shape, TIMES[i], i + 1)).all()


@pytest.mark.parametrize("mode", SERVING)
@pytest.mark.parametrize("values", [3, 100_000], ids=["eager", "rendezvous"])
def test_ranks_that_exchange_between_all_calls(job, mode, values):
    """Halos of 800 KB are sent only when the neighbour receives them; small ones are buffered."""
    fields = [field("w", "les"), field("t", "les")]
    player = model(3, grids=[block_grid(shape=SHAPE)], fields=fields, times=TIMES, exchange_values=values)
    delays = {"TAILRACE_RANDOM_DELAYS": "7:2000"}
    result = job(player, SERVING[mode], config=CONFIG, environment=delays).finished()
    assert_right(result.path("now.nc"), SHAPE, len(TIMES))


@pytest.mark.parametrize("memory", ["1 MiB", "1 GiB"])
def test_inline_waits_for_no_other_rank(job, memory):
    """A rank receives messages only in its next call. A step has more than 1 MiB, and a piece exceeds MPI's eager
    limit."""
    shape = (5, 210, 404)  # 3.2 MiB in total
    whole = {"field": "w", "time": "snapshot", "every": "1 step", "chunk": [1, *shape]}
    config = CONFIG | {"output": {"now.nc": {"write_every": "3 steps", "variables": [whole]}}}
    player = model(3, grids=[block_grid(shape=shape)], fields=[field("w", "les"), field("t", "les")], times=TIMES[:10])
    result = job(player, inline(memory=memory, buffer="4 MiB"), config=config, timeout=30).finished()
    assert_right(result.path("now.nc"), shape, 10)
