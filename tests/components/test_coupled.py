"""Two components of a coupled run, each with its own session, grid, time steps and output, share the servers."""

import numpy as np
import pytest
from support.harness import block_grid, field, indexed_grid, model, servers
from support.reading import read
from support.values import History, varying_times

pytestmark = pytest.mark.mpich

AIR_TIMES = varying_times(30, seed=11)
SEA_TIMES = varying_times(9, seed=12, shortest=3.0, longest=6.0)
AIR = {
    "fields": {"air": {"every": "1 step", "names": ["w"]}},
    "output": {"air.nc": {"write_every": "5 s", "variables": [{"field": "w", "time": "mean", "every": "5 s"}]}},
}
SEA = {
    "model_time": {"calendar": "noleap", "start": "2026-01-01"},
    "fields": {"sea": {"every": "1 step", "names": ["salt"]}},
    "output": {
        "sea.nc": {"write_every": "5 s", "variables": [{"field": "salt", "time": "snapshot", "every": "1 step"}]},
    },
}


def air(**more):
    return model(3, component="air", grids=[block_grid()], fields=[field("w", "les")], times=AIR_TIMES, **more)


def sea(**more):
    return model(2, component="sea", grids=[indexed_grid()], fields=[field("salt", "ico")], times=SEA_TIMES, **more)


@pytest.mark.parametrize("own_program", [False, True], ids=["from the last model", "as programs"])
@pytest.mark.parametrize("count", [1, 2])
def test_two_components(job, count, own_program):
    result = job(air(config=AIR), sea(config=SEA), servers(count, own_program=own_program), config={}).finished()
    assert result.output.count("FINISHED") == 5
    assert result.output.count("SERVED") == count

    w = read(result.path("air.nc")).w.values
    np.testing.assert_allclose(w, History.of(0, (3, 7, 11), AIR_TIMES).reduced("mean", 5.0), rtol=1e-12)
    salt = read(result.path("sea.nc")).salt.values
    np.testing.assert_array_equal(salt, np.array(History.of(0, (2, 43), SEA_TIMES).values))


def test_two_components_that_write_the_same_file(job):
    same = SEA | {"output": {"air.nc": SEA["output"]["sea.nc"]}}
    result = job(air(config=AIR), sea(config=same), servers(1), config={})
    result.failed_with('components "air" and "sea" both write the file air.nc', code=2)
