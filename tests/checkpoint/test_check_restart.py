"""`tailrace check --restart` reports, before a job is queued, whether it can continue from a checkpoint."""

import shutil

import pytest
import yaml
from support.harness import Job, block_grid, field, model, servers, tailrace

MEAN = {"field": "w", "operation": "mean", "every": "4 s"}
CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["w"]}},
    "output": {"a.nc": {"variables": [MEAN]}},
    "checkpoint": {"every": "3 steps", "fields": ["w"]},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a run with a checkpoint of step 3, at 4.5 s."""
    times = [1.5 * i for i in range(1, 6)]
    player = model(2, grids=[block_grid()], fields=[field("w", "les")], times=times, checkpoints=True)
    return Job(tmp_path_factory.mktemp("run"))(player, servers(1), config=CONFIG).finished().folder


@pytest.fixture
def folder(run, tmp_path):
    return shutil.copytree(run, tmp_path / "run", ignore=shutil.ignore_patterns("pid.*", "said.*"))


def check(folder, *arguments, status=0, **changes) -> str:
    configuration = yaml.safe_load((folder / "tailrace.yaml").read_text()) | changes
    (folder / "next.yaml").write_text(yaml.safe_dump(configuration))
    declared = next(folder.glob("**/declared.model.json"))
    done = tailrace("check", "next.yaml", "--declared", str(declared), *arguments, cwd=folder)
    assert done.returncode == status, done.stderr
    return done.stderr if status else done.stdout


@pytest.mark.parametrize("directory", ["restart", "restart/model", "restart/model/step_000000000003"])
def test_it_continues(folder, directory):
    said = check(folder, "--restart", directory)
    assert said.startswith(
        'component "model" restarts from the checkpoint of step 3 (4.5 s) in restart/model/step_000000000003\n'
    )
    assert "a.nc" in said
    added = {"a.nc": {"variables": [MEAN], "write_every": "5 s"}, "b.nc": {"variables": [MEAN]}}
    check(folder, "--restart", directory, output=added)


def test_it_does_not_continue(folder):
    other = {"a.nc": {"variables": [MEAN | {"operation": "max"}]}}
    said = check(folder, "--restart", "restart", status=2, output=other)
    assert "next.yaml:" in said and "output.a.nc" in said and "the file is to go on from the checkpoint" in said
    said = check(folder, "--restart", "restart", status=2, model_time={"start": "2001-01-01", "calendar": "standard"})
    assert "the checkpoint is of another model" in said and "model_time: " in said


def test_there_is_no_checkpoint(folder):
    shutil.move(folder / "restart/model", folder / "restart/modell")
    said = check(folder, "--restart", "restart", status=1)
    assert 'tailrace: error: restart: has no complete checkpoint of component "model".' in said
    said = check(folder, "--restart", "nowhere", status=2)
    assert "Directory 'nowhere' does not exist" in said


def test_it_needs_declarations(folder):
    done = tailrace("check", "tailrace.yaml", "--restart", "restart", cwd=folder)
    assert done.returncode == 2
    assert "--restart needs --declared: a checkpoint belongs to the fields and grids of a model" in done.stderr
