"""A run in pieces gives the same files as an uninterrupted one, bit for bit, for any ranks, servers, modes,
transports."""

import os
import random
import signal
import time

import pytest
from support.harness import attached, block_grid, field, indexed_grid, inline, model, replicated_grid, servers
from support.reading import differences, every_bit
from support.values import varying_times

STEPS = 43
KILLS = 30 if os.environ.get("TAILRACE_TEST_FAULTS") else 3  # runs, each killed three times
TIMES = varying_times(STEPS, seed=5, shortest=0.4, longest=1.7)
KEPT = ["w", "q", "ice", "column", "energy"]
VARIABLES = [
    {"field": "w", "every": "2 s", "chunk": [3, 2, 7, 5], "compression": "zlib"},
    {
        "field": "w",
        "name": "w_mean",
        "operation": "mean",
        "every": "5 s",
        "chunk": [4, 3, 4, 11],
        "compression": "zlib",
    },
    {"field": "w", "name": "w_std", "operation": "std", "every": "7 steps"},
    {"field": "w", "name": "w_max", "operation": "max", "every": "11 s"},
    {"field": "energy", "operation": "sum", "every": "5 s"},
    {"field": "profile", "operation": "mean", "every": "5 s"},
    {"field": "anomaly", "name": "anomaly_mean", "operation": "mean", "every": "11 s"},
]
OUTPUT = {
    "mean.nc": {"write_every": "6 s", "variables": VARIABLES},
    "ice.nc": {
        "variables": [
            {"field": "ice", "operation": "mean", "every": "4 s"},
            {"field": "column", "operation": "min", "every": "9 s"},
            {"field": "rare", "operation": "mean", "every": "9 s"},
            {"field": "orog", "every": "once"},
        ]
    },
    "part.nc": {
        "new_file_every": "10 s",
        "write_every": "3 s",
        "variables": [
            {"field": "q", "every": "1 s", "chunk": [3, 2, 20]},
            {"field": "q", "name": "q_mean", "operation": "mean", "every": "3 s", "compression": "zlib"},
        ],
    },
}
FIELDS = [
    field("w", "les", how="strided"),
    field("q", "ico", "float32"),
    field("ice", "les", fill_value=-999.0),
    field("column", "column", "int32"),
    field("energy"),
    field("orog", "les", fixed=True),
    field("rare", "les", missing_steps=list(range(3, STEPS, 4))),
]


def config(every="7 s", **checkpoint) -> dict:
    return {
        "fields": {
            "state": {"every": "1 step", "names": ["w", "q", "ice", "column", "energy"]},
            "fixed": {"every": "once", "names": ["orog"]},
            "rare": {"every": "1 step", "optional": True, "names": ["rare"]},
        },
        "diagnostics": {"profile": {"is": "mean(w, y, x)"}, "anomaly": {"is": "w - profile"}},
        "output": OUTPUT,
        "checkpoint": {"every": every, "fields": KEPT} | checkpoint,
    }


def play(ranks: int, steps=STEPS, **scenario):
    scenario = {"times": TIMES[:steps], "checkpoints": True, "got": KEPT, "fields": FIELDS} | scenario
    return model(ranks, grids=[block_grid("les"), indexed_grid("ico"), replicated_grid()], **scenario)


def pid_of(folder, rank: int) -> int:
    return int((folder / f"pid.{rank}").read_text())


def files_of(folder) -> dict:
    return {path.name: every_bit(path) for path in sorted(folder.glob("*.nc"))}


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> dict:
    from support.harness import Job

    result = Job(tmp_path_factory.mktemp("whole"))(play(3), servers(2), config=config()).finished()
    assert "CHECKPOINT" in result.output and "RESTARTED" not in result.output
    return files_of(result.folder)


def assert_same(folder, whole: dict) -> None:
    files = files_of(folder)
    assert files.keys() == whole.keys()
    for name, content in files.items():
        assert differences(content, whole[name]) == [], name


# The ranks, servers and last step of each piece of a run.
@pytest.mark.parametrize(
    "pieces",
    [
        [(3, servers(2), 17), (2, servers(1), STEPS)],
        [(1, servers(1), 9), (4, servers(3), 30), (2, attached(), STEPS)],
        [(2, inline(), 13), (3, servers(2, transport="mpi"), STEPS)],
        [(3, attached(), 22), (3, inline(), STEPS)],
    ],
    ids=["fewer", "chain", "inline", "attached"],
)
def test_pieces_that_end_by_themselves(job, whole, pieces):
    folder = None
    for i, (ranks, serving, last) in enumerate(pieces):
        result = job(play(ranks, last, requests=[last]), serving, config=config(), folder=folder).finished()
        folder = result.folder
        assert f"CHECKPOINT {last}\n" in result.output
        assert ("RESTARTED" in result.output) == (i > 0), result.output
        if i > 0:
            assert f"RESTARTED {pieces[i - 1][2]}\n" in result.output
    assert_same(folder, whole)


def test_a_run_that_goes_back_to_its_last_checkpoint(job, whole):
    """It ended long after it: later records, windows closed by its end and files of the series are removed."""
    first = job(play(3, 33), servers(2), config=config("19 s")).finished()
    second = job(play(2), servers(3), config=config("19 s"), folder=first.folder).finished()
    assert "RESTARTED" in second.output
    assert_same(first.folder, whole)


def run_to_the_end(job, folder, every, ranks, serving) -> None:
    # A run that was killed before its first complete checkpoint starts from the beginning.
    has_one = any(folder.glob("restart/model/step_*/manifest.json"))
    result = job(play(ranks), serving, config=config(every), folder=folder).finished()
    assert ("RESTARTED" in result.output) == has_one


@pytest.mark.parametrize("seed", range(KILLS))
def test_killed_at_random(job, whole, seed):
    """All processes, or one of the servers, whose death ends the others, at random moments."""
    chance = random.Random(seed)
    folder = None
    for _ in range(3):
        ranks, serving = chance.randrange(1, 6), chance.choice([servers(1), servers(2), servers(3), attached()])
        with job.start(play(ranks, pace=0.01), serving, config=config("2 s"), folder=folder) as running:
            folder = running.folder
            running.wait_for("CHECKPOINT")
            time.sleep(chance.uniform(0.0, 0.2))
            if serving.ranks and chance.random() < 0.5:
                os.kill(pid_of(folder, ranks + chance.randrange(serving.ranks)), signal.SIGKILL)
                running.wait()
    ranks, serving = chance.randrange(1, 6), chance.choice([servers(3), attached(), inline()])
    run_to_the_end(job, folder, "2 s", ranks, serving)
    assert_same(folder, whole)


@pytest.mark.parametrize("serving", [servers(2, signals="all"), attached(signals="all")], ids=["dedicated", "attached"])
def test_sigterm_makes_a_checkpoint(job, whole, serving):
    scenario = {"pace": 0.02, "report_steps": True, "asks_stop": True}
    with job.start(play(3, **scenario), serving, config=config("never")) as running:
        running.wait_for("STEP 12\n")
        for rank in range(3 + serving.ranks):
            os.kill(pid_of(running.folder, rank), signal.SIGTERM)
        result = running.wait()
    assert "CHECKPOINT" in result.output and "STOPPING" in result.output, result.output
    run_to_the_end(job, running.folder, "never", 2, servers(1))
    assert_same(running.folder, whole)
