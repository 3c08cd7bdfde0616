"""kill -9 at any moment, while every step has a checkpoint, a prune and commits: nothing that was reported as durable
is missing, every remaining checkpoint is complete, every file can be opened, and the run continues."""

import random
import re
import time

import pytest
from support.chains import any_piece, assert_same, count, files_of, newest_step, ranks_of, send
from support.harness import Job, block_grid, field, model, servers, tailrace
from support.kills import make_readable
from support.reading import commits, read
from support.values import varying_times

KILLS = count(6, 200, "TAILRACE_TEST_KILLS")
IN_ONE_TEST = 6
TIMES = varying_times(60, seed=11, shortest=0.4, longest=1.7)
CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["w"]}},
    "checkpoint": {"every": "1 step", "keep": 1, "fields": ["w"]},
    "output": {
        "now.nc": {"write_every": "1 step", "variables": [{"field": "w", "operation": "snapshot", "every": "1 step"}]},
        "part.nc": {
            "new_file_every": "9 s",
            "variables": [{"field": "w", "operation": "mean", "every": "3 s", "compression": "zlib"}],
        },
    },
}


def play(ranks: int, pace: float):
    return model(
        ranks, grids=[block_grid()], fields=[field("w", "les")], times=TIMES, checkpoints=True, got=["w"], pace=pace
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = Job(tmp_path_factory.mktemp("whole"))(play(2, 0.0), servers(1), config=CONFIG).finished().folder
    return files_of(folder)


def check(folder, durable: int) -> None:
    """`durable`: the last step that was reported as durable."""
    if not folder.exists():
        return
    sets = folder / "restart"
    if durable:
        listed = tailrace("checkpoint", "list", str(sets))
        assert listed.returncode == 0, listed.stdout + listed.stderr
        complete = [int(path.parent.name.removeprefix("step_")) for path in sets.glob("*/step_*/manifest.json")]
        assert complete and max(complete) >= durable, f"{durable} was durable; there are {complete}"
        verified = tailrace("inspect", str(sets))
        bad = [line for line in verified.stdout.splitlines() if "damaged" in line or "refused" in line]
        assert not bad, verified.stdout
    promised = commits(folder)
    for path in folder.glob("*.nc"):
        make_readable(path)
        data = read(path)
        for dim, length in promised.get(path.name, {}).items():
            assert data.sizes[dim] >= length, f"{path.name}: {data.sizes[dim]} of {length} promised records"


def kill_and_go_on(tmp_path, whole, seed: int, config: dict) -> None:
    chance = random.Random(seed)
    job, folder, durable, on_nodes, told = Job(tmp_path), tmp_path / "run", 0, 0, []
    for _ in range(IN_ONE_TEST):
        piece = any_piece(chance)
        piece.ranks = min(piece.ranks, 4)
        left = 1.0 - newest_step(folder) / len(TIMES)
        moment = chance.uniform(0.1, 1.0 + 3.0 * left)
        told.append(f"{piece.describe()}: killed after {moment:.2f} s")
        player, environment = play(piece.ranks, 0.02), {"TAILRACE_LOG": "info"}
        with job.start(player, piece.serving, config=config, folder=folder, environment=environment) as running:
            end = time.monotonic() + moment
            while running.alive() and time.monotonic() < end:
                time.sleep(0.005)
            send(ranks_of(folder, "player").values(), 9)
            running.kill()
            while ranks_of(folder, "player"):
                time.sleep(0.01)
        said = running.log.read_text(errors="replace")
        durable = max([durable, *map(int, re.findall(r"checkpoint of step (\d+) .* are durable", said))])
        assert all(int(step) >= on_nodes for step in re.findall(r"RESTARTED (\d+)", said)), "\n".join(told)
        on_nodes = max([on_nodes, *map(int, re.findall(r"checkpoint of step (\d+) .* are on the nodes", said))])
        check(folder, durable)
    piece = any_piece(chance)
    result = job(play(piece.ranks, 0.0), piece.serving, config=config, folder=folder)
    assert result.status == 0, "\n".join([*told, piece.describe(), result.output[-6000:]])
    assert_same(folder, whole, told)


@pytest.mark.parametrize("series", range((KILLS + IN_ONE_TEST - 1) // IN_ONE_TEST))
def test_killed_at_any_moment(tmp_path, whole, series):
    kill_and_go_on(tmp_path, whole, 1000 + series, CONFIG)


# In the short form, the kills of test_burst_buffer.py, each at another place, suffice.
@pytest.mark.parametrize("series", range(KILLS // IN_ONE_TEST if KILLS > IN_ONE_TEST else 0))
def test_killed_at_any_moment_with_a_burst_buffer(tmp_path, whole, series):
    """No record that was reported to be on the nodes is missing either, since the nodes survive."""
    buffered = CONFIG | {"checkpoint": CONFIG["checkpoint"] | {"burst_buffer": str(tmp_path / "node")}}
    kill_and_go_on(tmp_path, whole, 5000 + series, buffered)
