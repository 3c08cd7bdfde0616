"""Chunks of several records that a server could not hold are refused before the first step."""

import pytest
from support.harness import block_grid, field, model, servers

SHAPE = (5, 110, 140)  # 616,000 bytes a record


def run(job, records, memory, ranks=1):
    file = {"variables": [{"field": "u", "every": "1 step", "chunk": [records, *SHAPE]}]}
    config = {"fields": {"state": {"names": ["u"]}}, "output": {"out.nc": file}}
    scenario = {"grids": [block_grid(shape=SHAPE, coordinates=[])], "fields": [field("u", "les")], "times": [1.0, 2.0]}
    return job(model(2, **scenario), servers(ranks, memory=memory), config=config)


@pytest.mark.parametrize("ranks", [1, 2])
def test_too_long_chunks_are_refused_with_the_figures(job, ranks):
    pieces = ("out.nc: chunks of several records would take 117 MiB of server 0", '"u" (100 records a chunk', "100 MiB")
    result = run(job, 100, "100 MiB", ranks).failed_with(*pieces)
    assert not result.path("out.nc").exists()


def test_chunks_that_fit_are_written(job):
    assert run(job, 100, "150 MiB").finished().path("out.nc").exists()
