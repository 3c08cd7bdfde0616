"""Run directories that are copied, moved and linked, and checkpoints that are all damaged: a job changes nothing that
its own run did not make, and says what is there where it cannot tell."""

import hashlib
import json
import os
import shutil
import zlib
from pathlib import Path

import pytest
from support.harness import Job, Result, block_grid, field, inline, model, servers, tailrace
from support.reading import differences, every_bit, read

TIMES = [float(step) for step in range(1, 41)]
FIELDS = [field("w", "les"), field("energy")]
OF_THE_JOB = ("pid.", "said.", "scenario", "job.log", "tailrace.yaml")
REPORT = "tailrace_report"  # it is that of the last job, even if that failed; the next one takes its commits over


def config(**checkpoint) -> dict:
    every = {"operation": "snapshot", "every": "1 s"}
    return {
        "fields": {"state": {"every": "1 step", "names": ["w", "energy"]}},
        "output": {
            "all.nc": {"write_every": "2 s", "variables": [{"field": "energy", **every}]},
            "out/all.zarr": {"format": "zarr", "write_every": "2 s", "variables": [{"field": "energy", **every}]},
            "out/part_{end}.nc": {
                "new_file_every": "7 s",
                "write_every": "2 s",
                "variables": [{"field": "w", "operation": "mean", "every": "1 s"}],
            },
        },
        "checkpoint": {"every": "10 s", "fields": ["w"], "keep": 2} | checkpoint,
    }


def play(steps, ranks=2, **scenario):
    scenario = {"times": TIMES[:steps], "fields": FIELDS, "checkpoints": True, "got": ["w"]} | scenario
    return model(ranks, grids=[block_grid()], **scenario)


def go_on(job, folder: Path, steps=36, serving=None, made=None) -> Result:
    (folder / "out").mkdir(parents=True, exist_ok=True)
    return job(play(steps), serving or servers(1), config=made or config(), folder=folder)


def hashes(folder: Path) -> dict[str, str]:
    """Covers every file below the folder, links followed, except the report and what the harness writes there."""
    found = {}
    for at, folders, names in os.walk(folder, followlinks=True):
        folders[:] = [name for name in folders if name != REPORT]
        for name in names:
            path = Path(at) / name
            if not name.startswith(OF_THE_JOB):
                found[str(path.relative_to(folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """The folder of a run of 36 steps in one piece."""
    return go_on(Job(tmp_path_factory.mktemp("whole")), tmp_path_factory.mktemp("w") / "run").finished().folder


@pytest.fixture(scope="module")
def begun(tmp_path_factory) -> Path:
    """The folder of a run that ended at step 39, with checkpoints of steps 20 and 30 and a file that begins at 35 s."""
    folder = tmp_path_factory.mktemp("begun") / "run"
    go_on(Job(folder.parent), folder, steps=39).finished()
    assert (folder / "out/part_42.0.nc").exists()
    return folder


@pytest.fixture
def original(begun, tmp_path) -> Path:
    return shutil.copytree(begun, tmp_path / "B", symlinks=True)


@pytest.fixture
def run(job, begun):
    """Gives a run at home: in this folder it has made its own list of files."""

    def make(folder: Path) -> Path:
        shutil.copytree(begun, folder, symlinks=True)
        listed = folder / "restart/model/files.jsonl"
        listed.write_text(listed.read_text().replace(str(begun), str(folder)))
        return folder

    return make


def assert_as_whole(folder: Path, whole: Path) -> None:
    names = sorted(str(path.relative_to(whole)) for path in [*whole.glob("*.nc"), *whole.glob("out/*.nc")])
    assert names == sorted(str(path.relative_to(folder)) for path in [*folder.glob("*.nc"), *folder.glob("out/*.nc")])
    for name in names:
        assert differences(every_bit(folder / name), every_bit(whole / name)) == [], name
    stored = [read_zarr(one / "out/all.zarr") for one in (folder, whole)]
    assert stored[0].identical(stored[1])


def read_zarr(path: Path):
    import xarray as xr

    data = xr.open_zarr(path, consolidated=False, decode_times=False).load()
    del data.attrs["history"]
    return data


def declared(folder: Path) -> str:
    return str(next(folder.glob("**/declared.model.json")))


@pytest.mark.parametrize("serving", [servers(2), inline()], ids=["dedicated", "inline"])
def test_a_restart_in_a_copy_leaves_the_original(job, run, whole, tmp_path, serving):
    original = run(tmp_path / "B")
    copy = shutil.copytree(original, tmp_path / "Ba", symlinks=True)
    before = hashes(original)
    (copy / "restart/model/step_000000000040").mkdir()  # of a job that was killed
    unchanged = hashes(copy)
    checked = tailrace("check", "tailrace.yaml", "--declared", declared(copy), "--restart", "restart", cwd=copy)
    assert checked.returncode == 0, checked.stderr
    for line in (
        "restarts from the checkpoint of step 30 (30 s)",
        "restart/model/step_000000000040 is removed: it has no manifest.json",
        "  out/part_42.0.nc is removed: it begins after the checkpoint\n",
        "  all.nc keeps its first records (30 of time); later ones are removed. Now: all.nc: complete; ",
    ):
        assert line in checked.stdout
    assert hashes(copy) == unchanged
    result = go_on(job, copy, steps=34, serving=serving).finished()
    assert "RESTARTED 30\n" in result.output and f"{copy}/out/part_42.0.nc is removed" in result.output
    assert not (copy / "out/part_42.0.nc").exists() and read(copy / "all.nc").sizes["time"] == 34
    assert hashes(original) == before
    go_on(job, copy).finished()
    assert_as_whole(copy, whole)
    assert hashes(original) == before
    go_on(job, original).finished()  # the original, too, goes on as if there were no copy
    assert_as_whole(original, whole)


def test_a_copied_checkpoint_knows_the_files_of_its_run(job, run, whole, tmp_path):
    original = run(tmp_path / "B")
    copied = tailrace("checkpoint", "copy", "restart", "archive", "--step", "20", cwd=original)
    assert copied.returncode == 0, copied.stderr
    result = go_on(job, original, made=config(directory="archive")).finished()
    assert "RESTARTED 20\n" in result.output and f"{original}/out/part_42.0.nc is removed" in result.output
    assert_as_whole(original, whole)


def test_a_moved_run_goes_on(job, run, whole, tmp_path):
    moved = shutil.move(run(tmp_path / "B"), tmp_path / "elsewhere")
    go_on(job, moved).finished()
    assert_as_whole(moved, whole)


def test_a_list_of_an_earlier_version(job, run, whole, tmp_path):
    """It has absolute paths. They are followed in the run itself, and not in its copy."""
    original = run(tmp_path / "B")
    listed = original / "restart/model/files.jsonl"
    lines = [json.loads(line) for line in listed.read_text().splitlines()]
    old = [{"path": str(original / one["path"]), "behind": one["behind"]} for one in lines if "path" in one]
    listed.write_text("".join(json.dumps(line) + "\n" for line in old))
    copy = shutil.copytree(original, tmp_path / "Ba")
    before = hashes(original)
    result = go_on(job, copy).finished()
    assert f"{original}/out/part_42.0.nc begins after the checkpoint" in result.output
    assert "this run writes no series with files of this name. It stays" in result.output
    assert hashes(original) == before
    go_on(job, original).finished()
    assert_as_whole(original, whole)


@pytest.mark.parametrize("shared", ["link", "beside"])
def test_a_copy_that_shares_files_with_its_original_is_refused(job, run, tmp_path, shared):
    """By a link to a folder, which `cp -a` copies as a link, or by paths that lead out of both directories."""
    original = run(tmp_path / "B")
    made = config()
    if shared == "link":
        shutil.move(original / "out", tmp_path / "scratch")
        (original / "out").symlink_to(tmp_path / "scratch")
    else:
        name = "out/part_{end}.nc"
        made["output"] = {f"../{name}": made["output"][name], "all.nc": made["output"]["all.nc"]}
        shutil.rmtree(original)
        (tmp_path / "out").mkdir()
        go_on(job, original, steps=39, made=made).finished()
        assert (tmp_path / "out/part_42.0.nc").exists()
    copy = shutil.copytree(original, tmp_path / "Ba", symlinks=True)
    before = hashes(tmp_path)
    result = go_on(job, copy, made=made)
    result.failed_with("is also that of the run in", str(original), "of which this directory is a copy")
    assert hashes(tmp_path) == before
    go_on(job, original, made=made).finished()


def with_version_2(text: str) -> str:
    text = text[: text.rindex(',\n "crc32"')].replace('"version": 1', '"version": 2')
    return f'{text},\n "crc32": "{zlib.crc32(text.encode()):08x}"\n}}\n'


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


DAMAGES = {
    "manifests cut off": ("manifest.json", cut, "manifest.json is cut off"),
    "manifests missing": ("manifest.json", Path.unlink, "manifest.json is missing, and the checkpoint was complete"),
    "manifests of a later version": (
        "manifest.json",
        lambda path: path.write_text(with_version_2(path.read_text())),
        "it was written in version 2 of the format",
    ),
    "shards missing": ("state.0.nc", Path.unlink, "shard state.0.nc is missing"),
    "shards empty": ("state.0.nc", lambda path: path.write_bytes(b""), "shard state.0.nc is truncated: 0 of"),
    "shards of garbage": (
        "state.0.nc",
        lambda path: path.write_bytes(b"garbage!" * (path.stat().st_size // 8) + b"!" * (path.stat().st_size % 8)),
        "shard state.0.nc is damaged: its bytes",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_where_all_checkpoints_are_damaged_nothing_changes(job, original, damage):
    name, spoil, why = DAMAGES[damage]
    sets = sorted((original / "restart/model").glob("step_*"), reverse=True)
    assert len(sets) == 2
    for one in sets:
        spoil(one / name)
    before = hashes(original)
    result = go_on(job, original)
    named = sets[:1] if "later version" in damage else sets
    reasons = [f"restart/model/{one.name}{' cannot be used' if len(named) == 1 else ''}: {why}" for one in named]
    result.failed_with("checkpoint.restart: ", *reasons, "Nothing was removed or replaced.", "`restart: never`")
    assert result.output.count("Nothing was removed or replaced.") == 1
    assert len(result.errors) == 2  # all ranks of the model
    assert hashes(original) == before


def test_the_user_lets_a_run_begin_anew(job, original):
    """By name: then damaged checkpoints are removed and files replaced. Or elsewhere: then nothing is."""
    for one in (original / "restart/model").glob("step_*"):
        cut(one / "manifest.json")
    before = hashes(original)
    elsewhere = config(directory="other")
    elsewhere["output"] = {f"new_{Path(name).name}": one for name, one in elsewhere["output"].items()}
    assert "RESTARTED" not in go_on(job, original, steps=4, made=elsewhere).finished().output
    after = hashes(original)
    assert {name: after.get(name) for name in before} == before
    result = go_on(job, original, steps=12, made=config(restart="never")).finished()
    assert "is removed: the run continues from the beginning" in result.output
    assert [one.name for one in (original / "restart/model").glob("step_*")] == ["step_000000000010"]
    assert read(original / "all.nc").sizes["time"] == 12


def test_files_without_their_checkpoints_are_not_replaced(job, original):
    """Somebody removed the checkpoints, and not the output."""
    shutil.rmtree(original / "restart")
    before = hashes(original)
    result = go_on(job, original, steps=4)
    result.failed_with(
        "tailrace.yaml:",
        "output.all.nc: the file all.nc exists, but there is no checkpoint in restart/model",
        "output.out/all.zarr: the file out/all.zarr exists",
        "output.out/part_{end}.nc: the file out/part_7.0.nc exists",
        "`checkpoint.restart: never`",
    )
    assert hashes(original) == before
    replacing = config()
    for one in replacing["output"].values():
        one["if_exists"] = "replace"
    go_on(job, original, steps=4, made=replacing).finished()
    assert read(original / "all.nc").sizes["time"] == 4


def test_a_run_that_had_no_checkpoint_yet_begins_anew(job, tmp_path):
    """It made the files itself."""
    folder = tmp_path / "run"
    for steps in (8, 5, 9):
        go_on(job, folder, steps=steps).finished()
    assert read(folder / "all.nc").sizes["time"] == 9


def test_a_later_file_that_somebody_else_made_stays(job, original):
    """Its name is one that the series reaches later."""
    (original / "out/part_49.0.nc").write_text("precious")
    result = go_on(job, original, steps=40, made=config())
    assert result.finished().output.count("is not replaced") == 0  # the name is not reached
    (original / "out/part_42.0.nc").write_text("precious")
    shutil.rmtree(original / "restart/model/step_000000000040")
    listed = original / "restart/model/files.jsonl"
    listed.write_text("".join(line for line in listed.read_text().splitlines(True) if "part_42.0.nc" not in line))
    go_on(job, original, steps=40).failed_with(
        "out/part_42.0.nc: exists, and is not replaced, as no job of this run made it"
    )
    assert (original / "out/part_42.0.nc").read_text() == "precious"
    assert (original / "out/part_49.0.nc").read_text() == "precious"


def test_a_model_that_begins_at_step_0_beside_checkpoints(job, original):
    """`at_initial_step`: the model has restart files of its own, and was started without them, perhaps by mistake."""
    made = config(restart="at_initial_step")
    del made["checkpoint"]["fields"]
    before = hashes(original)
    result = job(play(4, got=[]), servers(1), config=made, folder=original)
    result.failed_with(
        "checkpoint.restart: the model begins at step 0, but there are checkpoints in restart/model",
        "restart/model/step_000000000030\n",
        "Nothing was removed or replaced.",
        "`restart: never`",
    )
    assert hashes(original) == before
