"""A run leaves no message behind that nobody received: each rank looks at its end, and the harness at what it says."""

import pytest
from support.harness import attached, block_grid, field, inline, model, servers

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


@pytest.mark.parametrize("way", WAYS)
def test_every_message_is_received(job, way):
    player = model(
        3,
        grids=[block_grid(shape=(3, 41, 113))],
        fields=[field("w", "les")],
        times=[float(step) for step in range(1, 8)],
    )
    result = job(player, WAYS[way], config=CONFIG, environment={"TAILRACE_LOG": "info"}).finished()
    ranks = 3 + WAYS[way].ranks
    assert result.output.count("all messages were received") == ranks, result.output


def test_a_component_that_ends_early_is_told_its_last_word(job):
    """Its servers go on for another one; what they have to say to its ranks is said before the ranks leave."""
    grids, fields = [block_grid(shape=(2, 11, 13))], [field("w", "les")]
    steps = [float(step) for step in range(1, 41)]
    early = model(2, component="early", grids=grids, fields=fields, times=steps[:2])
    late_config = CONFIG | {"output": {"late.nc": CONFIG["output"]["w.nc"]}}
    late = model(2, config=late_config, component="late", grids=grids, fields=fields, times=steps, pace=0.02)
    result = job(early, late, servers(2, transport="mpi"), config=CONFIG, environment={"TAILRACE_LOG": "info"})
    assert result.finished().output.count("all messages were received") == 6, result.output
