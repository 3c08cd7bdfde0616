"""How servers get weights before a job: from the cache, made by them, or not at all; and what they leave behind."""

import pytest
from support.harness import attached, field, inline, model, servers
from support.reading import differences, every_bit
from support.regridding import lat_lon_grid

CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["w"]}},
    "output": {
        "a.nc": {
            "regrid": {"to": {"healpix": {"level": 2}}, "method": "nearest"},
            "variables": [{"field": "w", "time": "mean", "every": "2 s"}],
        }
    },
}
NO_PYTHON = {"VIRTUAL_ENV": "/nowhere"}


def play(ranks: int = 2):
    return model(ranks, grids=[lat_lon_grid()], fields=[field("w", "globe")], times=[0.0, 1.0, 2.0, 3.0, 4.0])


def config_of(cache) -> dict:
    return CONFIG | {"regrid": {"cache": str(cache)}}


def test_the_next_job_takes_the_weights_of_the_first(job, tmp_path):
    cache = tmp_path / "cache"
    first = job(play(), servers(2), config=config_of(cache)).finished()
    (weights,) = cache.iterdir()
    made = weights.stat().st_mtime_ns
    second = job(play(3), servers(1), config=config_of(cache), environment=NO_PYTHON).finished()
    assert (weights.stat().st_mtime_ns, list(cache.iterdir())) == (made, [weights])
    assert differences(every_bit(first.path("a.nc")), every_bit(second.path("a.nc"))) == []


def test_two_jobs_at_once_do_not_disturb_each_other(job, tmp_path):
    cache = tmp_path / "cache"
    with (
        job.start(play(), servers(2), config=config_of(cache)) as one,
        job.start(play(), servers(1), config=config_of(cache)) as other,
    ):
        results = [running.wait().finished() for running in (one, other)]
    assert len(list(cache.iterdir())) == 1
    assert differences(*(every_bit(result.path("a.nc")) for result in results)) == []


def test_a_cache_that_cannot_be_written_costs_a_warning(job, tmp_path):
    (tmp_path / "file").touch()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {"TMPDIR": str(temporary)}
    result = job(play(), servers(2), config=config_of(tmp_path / "file" / "cache"), environment=environment).finished()
    assert result.output.count("cannot be written") == 1
    assert [path for path in temporary.iterdir() if path.name.startswith("making-")] == []


@pytest.mark.parametrize("serving", [servers(2), attached(), inline()])
def test_all_ranks_learn_that_there_is_no_maker(job, tmp_path, serving):
    result = job(play(), serving, config=config_of(tmp_path / "cache"), environment=NO_PYTHON)
    result.failed_with("output.a.nc.regrid", "/nowhere")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_damaged_file_of_the_cache_is_named_and_stays(job, tmp_path):
    cache = tmp_path / "cache"
    job(play(), servers(1), config=config_of(cache)).finished()
    (weights,) = cache.iterdir()
    weights.write_bytes(b"no weights")
    job(play(), servers(2), config=config_of(cache)).failed_with("output.a.nc.regrid", weights.name)
    assert weights.read_bytes() == b"no weights"
