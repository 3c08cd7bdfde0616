"""Files that exist when a job begins."""

import pytest
from support.harness import block_grid, field, model, servers
from support.reading import read
from support.values import varying_times

TIMES = varying_times(9, seed=7)


def run(job, names, folder=None, begin=0.0, ranks=2, serving=None, **options):
    """A job that writes a file of each name."""
    variables = [{"field": "u", "every": "2 steps"}]
    output = {name: {"write_every": "3 steps", "variables": variables, **options} for name in names}
    scenario = {"grids": [block_grid()], "fields": [field("u", "les")], "initial_time": begin}
    scenario["times"] = [begin + time for time in TIMES]
    config = {"fields": {"state": {"names": ["u"]}}, "output": output}
    return job(model(ranks, **scenario), serving or servers(2), config=config, folder=folder)


def test_fail_is_reported_before_any_write(job):
    folder = run(job, ["b.nc"]).finished().folder
    before = (folder / "b.nc").read_bytes()
    again = run(job, ["a.nc", "b.nc", "c.nc"], folder, if_exists="fail")
    again.failed_with(
        "output.b.nc.if_exists: the file b.nc exists, and `if_exists: fail` does not allow", "tailrace.yaml:"
    )
    assert sorted(path.name for path in folder.glob("*.nc")) == ["b.nc"]
    assert (folder / "b.nc").read_bytes() == before


def test_a_continued_run_replaces_nothing_silently(job):
    folder = run(job, ["a.nc"]).finished().folder
    run(job, ["a.nc"], folder).finished()  # again from the beginning
    before = (folder / "a.nc").read_bytes()
    restart = run(job, ["a.nc"], folder, begin=50.0, serving=servers(1))
    restart.failed_with("output.a.nc: the file a.nc exists, and this run begins at 50 s", "`if_exists: replace`")
    assert (folder / "a.nc").read_bytes() == before
    run(job, ["a.nc"], folder, begin=50.0, if_exists="replace").finished()
    assert read(folder / "a.nc").time.values[0] > 50.0


@pytest.mark.parametrize("policy", ["stop", "skip"])
def test_another_job_may_have_made_a_later_file_of_a_series(job, policy):
    series = {"file_per_write": True, "if_exists": "fail", "on_error": policy}
    folder = run(job, ["a.nc"], **series).finished().folder
    (folder / "a_3.nc").unlink()
    again = run(job, ["a.nc"], folder, **series)
    if policy == "skip":
        again.finished()
        assert "a_6.nc: exists, and is not replaced" in again.output
    else:
        again.failed_with("a_6.nc: exists, and is not replaced; expected another path, or `if_exists: replace`")
