"""Masks, which the model puts again after a restart, and windows of masked fields."""

import pytest
from support.harness import attached, block_grid, field, model, servers
from support.reading import differences, every_bit

TIMES = [1.1 * i for i in range(1, 20)]
CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["w"]}, "fixed": {"every": "once", "names": ["sea"]}},
    "grids": {"les": {"mask": "sea"}},
    "diagnostics": {"profile": {"is": "mean(w, y, x)"}},
    "checkpoint": {"every": "4 steps", "fields": ["w"]},
    "output": {
        "a.nc": {
            "variables": [
                {"field": "w", "operation": "mean", "every": "5 s"},
                {"field": "sea", "every": "once"},
                {"field": "profile", "operation": "max", "every": "5 s"},
            ]
        }
    },
}


def play(ranks, last):
    # The mask is 0 where the formula of the values gives a small integer.
    fields = [field("sea", "les", "int32", fixed=True), field("w", "les", fill_value=-999.0)]
    return model(ranks, grids=[block_grid()], fields=fields, times=TIMES[:last], checkpoints=True, got=["w"])


@pytest.mark.parametrize("serving", [servers(2), attached()], ids=["dedicated", "attached"])
def test_masked_windows_continue(job, serving):
    whole = job(play(3, 19), servers(1), config=CONFIG).finished().folder
    folder = job(play(2, 10), servers(2), config=CONFIG).finished().folder
    second = job(play(4, 19), serving, config=CONFIG, folder=folder).finished()
    assert "RESTARTED 8" in second.output
    assert differences(every_bit(folder / "a.nc"), every_bit(whole / "a.nc")) == []
