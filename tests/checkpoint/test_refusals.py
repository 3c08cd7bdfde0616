"""Restarts that are refused, with their messages; and changes that are accepted."""

import shutil

import numpy as np
import pytest
from analytics.support.jobs import Case
from support.harness import attached, block_grid, field, inline, model, servers
from support.reading import bounds_of, every_bit, read
from support.values import History, put_values, reduce_window

STEPS = 12
TIMES = [1.5 * i for i in range(1, STEPS + 1)]
SHAPE = (3, 7, 11)
MEAN = {"field": "w", "operation": "mean", "every": "4 s"}
FIELDS = [field("w", "les"), field("q", "les", "float32")]


def config(**changes) -> dict:
    made = {
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "output": {"a.nc": {"variables": [MEAN]}},
        "checkpoint": {"every": "3 steps", "fields": ["w", "q"], "keep": 3},
    }
    for key, value in changes.items():
        made[key] = made.get(key, {}) | value if isinstance(value, dict) else value
    return made


def play(ranks=2, steps=STEPS, **scenario):
    scenario = {"times": TIMES[:steps], "fields": FIELDS, "checkpoints": True, "got": ["w", "q"]} | scenario
    return model(ranks, grids=scenario.pop("grids", [block_grid()]), **scenario)


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """The folder of a run that ended at step 7, with checkpoints of steps 3 and 6."""
    from support.harness import Job

    return Job(tmp_path_factory.mktemp("begun"))(play(3, 7), servers(2), config=config()).finished().folder


@pytest.fixture
def folder(begun, tmp_path):
    shutil.copytree(begun, tmp_path / "again", ignore=shutil.ignore_patterns("pid.*", "said.*"))
    return tmp_path / "again"


def again(job, folder, player=None, serving=None, **changes):
    return job(player or play(), serving or servers(1), config=config(**changes), folder=folder)


def check_means(path, name="w", first=0.0):
    data = read(path)
    past = History.of(0, SHAPE, TIMES)
    windows = [(a, min(a + 4.0, TIMES[-1])) for a in np.arange(0.0, TIMES[-1], 4.0)]
    windows = [(max(a, first), b) for a, b in windows if b > first]
    np.testing.assert_allclose(bounds_of(data, data[name]), windows)
    expected = [reduce_window("mean", *past.overlaps(window)) for window in windows]
    np.testing.assert_allclose(data[name].values, expected, rtol=1e-12)


def test_fields_that_cannot_be_checkpointed(job):
    result = job(play(), config=config(checkpoint={"fields": ["v", "q"]}))
    result.failed_with("tailrace.yaml:", "checkpoint.fields", 'the model declares no field "v"')
    result = job(play(), config=config(checkpoint={"fields": ["x*"]}))
    result.failed_with("checkpoint.fields", 'the model declares no field like "x*" that can be kept')
    fixed = {"fixed": {"every": "once", "names": ["q"]}}
    job(play(), config=config(fields=fixed)).failed_with('"q" is a fixed field', "puts again after a restart")


def test_a_state_of_contributions_of_ranks(tmp_path):
    """After a restart the contributions belong to other ranks."""
    case = Case(2, servers(1)).grid("profile", ["k", "j"], [4, 3], kind="partial")
    case.field("part", np.ones((2, 5, 4, 3)), grid="profile", units="1")
    made = case.configuration({"cells": "track(part > 1, k)"}, checkpoint={"every": "1 step"})
    result = case.run(tmp_path, made)
    result.failed_with("checkpoint", "track((part > 1), k) remembers earlier steps of a field on a partial grid")


def test_a_checkpoint_that_must_be_there(job):
    result = job(play(), config=config(checkpoint={"restart": "require"}))
    result.failed_with("checkpoint.restart: there is no complete checkpoint in restart/model", "`restart: auto`")


def test_a_model_that_does_not_ask(job, folder):
    result = again(job, folder, play(checkpoints=False))
    result.failed_with("restarts from the checkpoint", "did not call restarting", "`checkpoint.restart: never`")


def test_another_model(job, folder):
    result = again(job, folder, play(fields=[field("w", "les", "float32"), field("q", "les", "float32")]))
    result.failed_with(
        "the checkpoint is of another model", 'field w: float64 on grid "les" in the checkpoint, but float32'
    )
    result = again(job, folder, play(grids=[block_grid(shape=(3, 7, 12))]))
    result.failed_with("grid les: (z=3, y=7, x=11) in the checkpoint, but (z=3, y=7, x=12) now")


def test_another_time_reference(job, folder):
    result = again(job, folder, model_time={"start": "2001-01-01", "calendar": "standard"})
    result.failed_with("model_time: ", "in the checkpoint, but seconds since 2001-01-01")


def test_other_variables_in_a_file(job, folder):
    other = {"a.nc": {"variables": [MEAN | {"operation": "max"}]}}
    result = again(job, folder, output=other)
    result.failed_with("tailrace.yaml:", "output.a.nc", 'it has "w: max of w', 'it had "w: mean of w', "another path")


def test_a_field_that_was_not_checkpointed(job, folder):
    fields = [*FIELDS, field("q2", "les")]
    result = again(job, folder, play(fields=fields, got=["q2"]))
    result.failed_with('the checkpoint has no field "q2".', 'Did you mean "q"?')


def test_a_file_that_is_missing_or_shorter(job, folder):
    (folder / "a.nc").unlink()
    result = again(job, folder)
    result.failed_with("the file a.nc cannot continue from the checkpoint: it no longer exists")


def test_output_that_is_added_and_ended(job, folder):
    before = every_bit(folder / "a.nc")
    added = {"b.nc": {"variables": [MEAN | {"every": "4 s"}], "write_every": "2 s"}}
    changes = config(output=added)
    del changes["output"]["a.nc"]
    result = job(play(), servers(2), config=changes, folder=folder).finished()
    assert "RESTARTED 6" in result.output
    assert every_bit(folder / "a.nc") == before
    check_means(folder / "b.nc", first=TIMES[5])


def test_other_writing(job, folder):
    """`write_every` may change, and an additional file begins at the restart."""
    changed = {"a.nc": {"variables": [MEAN], "write_every": "5 s"}, "c.nc": {"variables": [MEAN]}}
    assert "RESTARTED 6" in again(job, folder, output=changed).finished().output
    check_means(folder / "a.nc")
    check_means(folder / "c.nc", first=TIMES[5])


@pytest.mark.parametrize("serving", [servers(2), attached(), inline()], ids=["dedicated", "attached", "inline"])
def test_a_damaged_checkpoint(job, folder, serving):
    """The previous one is used, and the damaged one is reported."""
    member = max((folder / "restart/model").glob("step_*/state.0.nc"))
    data = bytearray(member.read_bytes())
    data[len(data) // 2] ^= 1
    member.write_bytes(data)
    result = again(job, folder, serving=serving).finished()
    assert "RESTARTED 3" in result.output and "step_000000000006" in result.output
    check_means(folder / "a.nc")


def test_a_run_that_begins_afresh(job, folder):
    result = again(job, folder, checkpoint={"restart": "never"}).finished()
    assert "RESTARTED" not in result.output
    check_means(folder / "a.nc")


def test_two_jobs_at_once(job, folder):
    with job.start(play(pace=1.5, report_steps=True), servers(1), config=config(), folder=folder) as running:
        running.wait_for("STEP 7")
        other = model(1, grids=[block_grid()], times=TIMES, fields=FIELDS, checkpoints=True)
        shutil.copytree(folder, folder.parent / "other", ignore=shutil.ignore_patterns("restart", "*.nc"))
        there = config(checkpoint={"directory": str(folder / "restart")}, output={"d.nc": {"variables": [MEAN]}})
        del there["output"]["a.nc"]
        job(other, servers(1), config=there, folder=folder.parent / "other").failed_with(
            "in use by another job that still runs", "process"
        )


def test_values_of_the_checkpoint_are_those_that_were_put(folder):
    """With another reader: the model's field in the NetCDF file of the checkpoint."""
    newest = max((folder / "restart/model").glob("step_*"))
    found = {}
    for member in newest.glob("*.nc"):
        for variable in read(member).data_vars.values():
            found[variable.attrs["state_name"]] = variable
    step = int(newest.name.split("_")[1])
    np.testing.assert_array_equal(found["model/fields/w"].values, put_values(0, SHAPE, TIMES[step - 1], step))
    expected = put_values(1, SHAPE, TIMES[step - 1], step).astype("float32")
    np.testing.assert_array_equal(found["model/fields/q"].values, expected)
