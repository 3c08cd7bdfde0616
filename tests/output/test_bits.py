"""The output has the same bits for any number of ranks and servers, any mode and transport, and any delays."""

import pytest
from support.harness import Job, attached, block_grid, field, indexed_grid, inline, model, replicated_grid, servers
from support.reading import differences, every_bit
from support.values import varying_times

CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["w", "t", "k", "total"]}},
    "output": {
        "a.nc": {
            "write_every": "6 s",
            "compression": {"codec": "zlib", "level": 1},
            "variables": [
                {"field": "w", "name": "w_mean", "time": "mean", "every": "5 s", "chunk": [1, 2, 4, 4]},
                {"field": "w", "name": "w_std", "time": "std", "every": "5 s", "chunk": [1, 3, 5, 11]},
                {"field": "w", "time": "snapshot", "every": "3 s", "chunk": [2, 2, 4, 4]},
                {"field": "total", "name": "total_sum", "time": "sum", "every": "5 s"},
            ],
        },
        "b.nc": {
            "write_every": "3 steps",
            "variables": [
                {"field": "t", "time": "mean", "every": "4 s", "chunk": [1, 2, 10]},
                {"field": "k", "name": "k_max", "time": "max", "every": "4 s"},
            ],
        },
    },
}
SCENARIO = {
    "grids": [block_grid(), indexed_grid(mesh=True), replicated_grid()],
    "fields": [
        field("w", "les", how="strided"),
        field("t", "ico", "float32"),
        field("k", "column", "int32"),
        field("total", how="acquire"),
    ],
    "times": varying_times(18, seed=8),
}
FILES = ("a.nc", "b.nc")

PLAYERS = [
    *((ranks, "dedicated", count, way) for ranks in (1, 2, 3, 5) for count in (1, 2, 3) for way in ("shm", "mpi")),
    *((ranks, mode, 0, "auto") for ranks in (1, 2, 3, 5) for mode in ("attached", "inline")),
]


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """One rank that does everything itself, without delays."""
    job = Job(tmp_path_factory.mktemp("reference"))
    result = job(model(1, **SCENARIO), inline(), config=CONFIG).finished()
    return {name: every_bit(result.path(name)) for name in FILES}


@pytest.mark.parametrize(("ranks", "mode", "count", "transport"), PLAYERS)
def test_same_bits(job, reference, ranks, mode, count, transport):
    serving = {"attached": attached, "inline": inline}.get(mode, lambda: servers(count, transport=transport))()
    delays = {"TAILRACE_RANDOM_DELAYS": f"{ranks * 10 + count}:3000"}
    result = job(model(ranks, **SCENARIO), serving, config=CONFIG, environment=delays).finished()
    for name in FILES:
        assert differences(every_bit(result.path(name)), reference[name]) == []


def test_the_comparison_sees_a_changed_bit(reference):
    changed = dict(reference["a.nc"])
    dtype, shape, data = changed["w_mean"]
    changed["w_mean"] = (dtype, shape, data[:-1] + bytes([data[-1] ^ 1]))
    assert differences(changed, reference["a.nc"]) == ["w_mean"]
