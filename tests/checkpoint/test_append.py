"""`if_exists: append` beside a section `checkpoint`, as docs/guide/long_runs.md describes it."""

from support.harness import Job, block_grid, field, inline, model, servers
from support.reading import differences, every_bit
from support.values import varying_times

TIMES = varying_times(14, seed=5)
SHAPE = (3, 7, 11)


def config(**checkpoint) -> dict:
    variables = [
        {"field": "w", "time": "snapshot", "every": "1 step"},
        {"field": "w", "name": "w_mean", "time": "mean", "every": "4 steps"},
    ]
    made = {
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "output": {"w.nc": {"write_every": "3 steps", "if_exists": "append", "variables": variables}},
    }
    return made | ({"checkpoint": {"every": "5 steps", "fields": ["w"]} | checkpoint} if checkpoint else {})


def play(ranks: int, last: int = len(TIMES), **more):
    grids, fields = [block_grid("les", shape=SHAPE)], [field("w", "les")]
    return model(ranks, grids=grids, fields=fields, times=TIMES[:last], checkpoints=True, got=["w"], **more)


def test_a_restart_continues_its_files_bit_for_bit(tmp_path):
    """The guide said that both together are refused."""
    whole, pieces = tmp_path / "whole", tmp_path / "pieces"
    Job(whole)(play(2), servers(1), config=config(keep=2), folder=whole).finished()
    Job(pieces)(play(3, last=7), servers(2), config=config(keep=2), folder=pieces).finished()
    again = Job(pieces)(play(1), inline(), config=config(keep=2), folder=pieces).finished()
    assert "RESTARTED 5" in again.output
    assert differences(every_bit(pieces / "w.nc"), every_bit(whole / "w.nc")) == []


def test_a_file_that_is_not_in_the_checkpoint_is_refused(tmp_path):
    plain = model(2, grids=[block_grid("les", shape=SHAPE)], fields=[field("w", "les")], times=TIMES[:7])
    Job(tmp_path)(plain, servers(1), config=config(), folder=tmp_path).finished()
    before = (tmp_path / "w.nc").read_bytes()
    later = model(
        2, grids=[block_grid("les", shape=SHAPE)], fields=[field("w", "les")], times=TIMES[7:], initial_time=TIMES[6]
    )
    refused = Job(tmp_path)(later, servers(1), config=config(keep=2), folder=tmp_path)
    refused.failed_with(
        "output.w.nc.if_exists: the file w.nc exists, and is none of those that the checkpoint of this run continues",
        "Expected another path, `if_exists: replace`, or no section `checkpoint`",
        code=2,
    )
    assert (tmp_path / "w.nc").read_bytes() == before
