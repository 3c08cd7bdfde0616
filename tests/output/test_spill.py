"""A model that is faster than its server, with a buffer that is far too small: the excess is written to a disk of the
node (`when_full: spill`), nothing is lost, and no file remains."""

import json

import pytest
from support.harness import block_grid, field, model, servers
from support.reading import differences, every_bit, read
from support.values import put_values, varying_times

pytestmark = pytest.mark.mpich

TIMES = varying_times(24, seed=5)
SHAPE = (16, 64, 128)  # 1 MiB a step
CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["w", "total"]}},
    "output": {
        "out.nc": {
            "write_every": "2 steps",
            "compression": {"codec": "zlib", "level": 9},  # slow, to simulate a slow disk
            "variables": [
                {"field": "w", "time": "snapshot", "every": "1 step"},
                {"field": "w", "name": "w_mean", "time": "mean", "every": "5 s"},
                {"field": "total", "time": "sum", "every": "5 s"},
            ],
        }
    },
}


def play(job, when_full, folder, transport):
    scenario = {"grids": [block_grid(shape=SHAPE)], "fields": [field("w", "les"), field("total")], "times": TIMES}
    serving = servers(
        1,
        transport=transport,
        when_full=when_full,
        spill_directory=str(folder),
        buffer="2 MiB",
        memory="4 MiB",
        threads=1,
    )
    result = job(model(2, **scenario), serving, config=CONFIG).finished()
    return result, json.loads(result.path("tailrace_report/report.json").read_text())


@pytest.mark.parametrize("transport", ["shm", "mpi"])
def test_spilled_is_not_lost(job, tmp_path, transport):
    folder = tmp_path / "node"
    folder.mkdir()
    waited, slow = play(job, "wait", folder, transport)
    assert slow["totals"]["stalls"] > 0, "the model is not faster than its server: this test is void"
    assert sum(client["spilled_bytes"] for client in slow["clients"]) == 0

    spilled, report = play(job, "spill", folder, transport)
    assert report["totals"]["stalls"] == 0, "the model waited although it could spill"
    for client in report["clients"]:
        size = 8 * 16 * 64 * 128 // 2  # of a record of one rank
        assert client["spilled_bytes"] >= size and client["spilled_packets"] >= 1
        assert client["spilled_bytes"] <= client["bytes"] + 1024 * client["spilled_packets"], "a packet with its head"
        assert client["spilled_packets"] <= client["puts"] + len(TIMES) + 1, "puts, ticks and finish"
    assert list(folder.iterdir()) == [], "a spill file remained"

    assert differences(every_bit(spilled.path("out.nc")), every_bit(waited.path("out.nc"))) == []
    w = read(spilled.path("out.nc")).w
    for i, time in enumerate(TIMES):
        assert (w.values[i] == put_values(0, SHAPE, time, i + 1)).all()
