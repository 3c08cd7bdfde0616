"""An error that all ranks of a job get in `ready` or `finish` is printed by one of them, with the line and the part of
the path that is meant; the others refer to it."""

import re
import resource

import pytest
from support.harness import attached, block_grid, field, inline, model, servers, tailrace
from support.reading import read

CONFIGURATION, RESOURCE = 2, 3
SHAPE = (16, 64, 128)  # 1 MiB a record
TIMES = [float(n + 1) for n in range(20)]


def config(path: str = "w.nc", more: dict | None = None, **options) -> dict:
    variables = [{"field": "w", "time": "snapshot", "every": "1 step"}]
    fields = {"state": {"every": "1 step", "names": ["w"]}}
    return {"fields": fields, "output": {path: {"variables": variables, **options}}} | (more or {})


def player(ranks: int = 3, times: list[float] | None = None, shape=(3, 4, 6)):
    return model(ranks, grids=[block_grid(shape=shape)], fields=[field("w", "les")], times=times or TIMES[:3])


def said_once(result, *pieces: str, code: int, call: str = "ready") -> str:
    """The message of one rank; all the others refer to it."""
    told = [message for got, message in result.errors if all(piece in message for piece in pieces)]
    assert len(told) == 1, result.output
    others = [(got, message) for got, message in result.errors if message != told[0]]
    assert all("reports the reason" in message for _, message in others), result.output
    assert all(message.startswith(f"{call} failed on all ranks") for _, message in others), result.output
    assert {got for got, _ in result.errors} == {code}
    return told[0]


@pytest.mark.parametrize("serving", [servers(2), attached(), inline()], ids=lambda one: one.mode)
def test_a_missing_folder(job, serving):
    """It was `cannot create: No such file or directory`, once for each rank, without a line."""
    result = job(player(), serving, config=config("out/of/w.nc"))
    message = said_once(result, "does not exist", code=RESOURCE)
    assert re.match(r"tailrace\.yaml:\d+:\d+  output\.out/of/w\.nc: cannot create: the folder /", message), message
    assert message.endswith(f"the folder {result.folder}/out does not exist")
    (result.folder / "out" / "of").mkdir(parents=True)
    job(player(), serving, config=config("out/of/w.nc"), folder=result.folder).finished()
    assert read(result.path("out/of/w.nc")).sizes["time"] == 3


@pytest.mark.parametrize("path", ["out/w.zarr", "out/w.bp"])
def test_all_formats_need_the_folder(job, path):
    """Zarr and BP made it, although the guide says that folders must exist."""
    if path.endswith("bp"):
        pytest.importorskip("adios2", reason="ADIOS2 is not installed")
    result = job(player(), servers(2), config=config(path, format="zarr" if path.endswith("zarr") else "adios2"))
    said_once(result, f"output.{path}: cannot create: the folder {result.folder}/out does not exist", code=RESOURCE)
    assert not (result.folder / "out").exists()


@pytest.mark.parametrize("serving", [servers(2), inline()], ids=lambda one: one.mode)
@pytest.mark.parametrize(
    ("options", "path", "option"),
    [
        ({"checkpoint": {"directory": "there/weather", "every": "1 s"}}, "there/weather/model", "checkpoint.directory"),
        ({"servers": {"report_directory": "there/report"}}, "there/report", "servers.report_directory"),
    ],
    ids=["checkpoint", "report"],
)
def test_a_file_where_a_folder_should_be(job, tmp_path, serving, options, path, option):
    """It was `cannot make directory restart/weather: Not a directory`."""
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "there").write_text("")
    call = "start" if option == "checkpoint.directory" else "ready"  # start looks for checkpoints
    result = job(player(), serving, config=config(more=options), folder=folder)
    message = said_once(result, option, code=RESOURCE, call=call)
    assert re.match(r"tailrace\.yaml:\d+:\d+  ", message), message
    assert message.endswith(f"{option}: cannot make the folder {path}: there is a file, not a folder")


def test_check_looks_at_the_folders(tmp_path):
    text = "tailrace: 1\nservers: {mode: inline}\ncheckpoint: {directory: there/weather, every: 1 s}\n"
    text += "fields: {state: {every: 1 step, names: [w]}}\noutput:\n"
    text += "  out/w.nc: {variables: [{field: w, every: 1 step}]}\n"
    text += "  '{start}/w.nc': {new_file_every: 10 s, variables: [{field: w, every: 1 step}]}\n"
    (tmp_path / "tailrace.yaml").write_text(text)
    (tmp_path / "there").write_text("")
    checked = tailrace("check", "tailrace.yaml", cwd=tmp_path)
    assert checked.returncode == 0, checked.stderr
    assert "tailrace.yaml:6:3  output.out/w.nc: the folder out does not exist here\n" in checked.stdout
    assert "checkpoint.directory: there is a file, not a folder\n" in checked.stdout
    assert checked.stdout.count("does not exist") == 1  # folders with {start} are made by the run
    (tmp_path / "out").mkdir()
    (tmp_path / "there").unlink()
    assert "folder" not in tailrace("check", "tailrace.yaml", cwd=tmp_path).stdout


def test_check_shows_signals_checkpoints_and_restarts(tmp_path):
    text = "tailrace: 1\nservers: {mode: dedicated, count: 1, grace: 45 s, signals: all}\n"
    text += "checkpoint: {directory: saved, every: 600 s, keep: 3, fields: [u, v], restart: require}\n"
    text += "fields: {state: {every: 1 step, names: [u, v]}}\n"
    (tmp_path / "tailrace.yaml").write_text(text)
    shown = tailrace("check", "tailrace.yaml", cwd=tmp_path).stdout
    for line in (
        "after SIGTERM or SIGINT the files are closed within 45 s; model ranks without a handler continue until then",
        "checkpoints in saved, of which the newest 3 stay",
        "every 10 min, on SIGTERM, SIGINT or SIGUSR1, when the model requests one",
        "of the servers' state, and of the model's fields u, v",
        "a run restarts from the newest complete one, which it needs (restart: require)",
    ):
        assert f"─ {line}\n" in shown, shown


def test_too_little_memory(job):
    """It had 70 words, GiB beside MiB, and came once for each rank."""
    vast = player(shape=SHAPE)
    more = {"servers": {"memory": "64 MiB"}}
    variables = [{"field": "w", "name": f"w{n}", "time": "mean", "every": f"{n + 2} steps"} for n in range(80)]
    wanted = config(more=more) | {"output": {"w.nc": {"variables": variables}}}
    message = said_once(job(vast, servers(2), config=wanted), "must hold", code=CONFIGURATION)
    assert len(message.split()) < 50, message
    assert re.search(
        r"server \d must hold [\d.]+ MiB at a time, [\d.]+ MiB of it for [a-z ',]+ \(\"w\d*\" of w\.nc: ", message
    )
    assert re.search(r"; memory is 64 MiB; expected `servers: \{memory: \d+ MiB\}` or more, or more servers$", message)


def small_disk() -> None:
    """Files of at most 16 MiB: a write past that fails as on a full disk (the player ignores SIGXFSZ)."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (16 << 20, 16 << 20))


def test_a_full_disk_at_the_end(job):
    """It was `w.nc: w.nc: cannot write ...`, once for each rank."""
    wanted = config(write_every="1000 steps")
    result = job(player(times=TIMES, shape=SHAPE), servers(1), config=wanted, preexec=small_disk)
    message = said_once(result, "File too large", code=RESOURCE, call="finish")
    assert re.match(r"tailrace\.yaml:\d+:\d+  output\.w\.nc: cannot write \d+ bytes at \d+: File too large; ", message)
    assert message.endswith("; what was committed until 0 s of model time is in the file")


@pytest.mark.parametrize("if_exists", ["replace", "append"])
def test_a_file_in_use_names_the_process(job, if_exists):
    """The message did not say which process of which host holds it."""
    waits = {"kind": "wait", "rank": 0, "step": 2}
    waiting = model(
        1,
        grids=[block_grid(shape=(3, 4, 6))],
        fields=[field("w", "les")],
        times=TIMES,
        report_steps=True,
        fault=waits,
    )
    with job.start(waiting, inline(), config=config(write_every="1 step")) as first:
        first.wait_for("STEP 1")
        (pid,) = first.rank_pids()
        result = job(player(), servers(2), config=config(str(first.folder / "w.nc"), if_exists=if_exists))
        told = [message for _, message in result.errors if "is being written by another session" in message]
        assert len(told) == 1, result.output
        assert re.search(rf": process {pid} \(player\) on \S+", told[0]), told
        (first.folder / "go").touch()
        first.wait(60).finished()
