"""Faults of the environment: a full disk, a folder that cannot be written, processes that end. Never a hang, a
segmentation fault or a silent loss."""

import json
import os
import resource
import time

import numpy as np
import pytest
from support.harness import MPI, block_grid, field, model, servers, tailrace
from support.reading import commits, read
from support.values import put_values, varying_times

RESOURCE, LOST = 3, 4
TIMES = varying_times(60, seed=2)
SHAPE = (16, 64, 128)  # 1 MiB a record
SMALL = (3, 4, 6)


def config(path="out.nc", **options) -> dict:
    variables = [{"field": "w", "time": "snapshot", "every": "1 step"}]
    return {
        "fields": {"state": {"every": "1 step", "names": ["w", "t"]}},
        "output": {
            path: {"write_every": "1 step", "variables": variables, **options},
            "good.nc": {"variables": [{"field": "t", "time": "snapshot", "every": "1 step"}]},
        },
    }


def player(ranks=2, shape=SMALL, **more):
    grids = [block_grid(shape=shape), block_grid("few", shape=SMALL)]
    return model(ranks, grids=grids, fields=[field("w", "les"), field("t", "few")], times=TIMES, **more)


def small_disk() -> None:
    """Files of at most 16 MiB: a write past that fails as on a full disk (the player ignores SIGXFSZ)."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (16 << 20, 16 << 20))


def report_of(folder) -> dict:
    return json.loads((folder / "tailrace_report" / "report.json").read_text())


def assert_no_crash(result) -> None:
    for word in ("Segmentation fault", "signal 11", "UNEXPECTED", "assertion"):
        assert word not in result.output


def assert_whole(path, lengths, field_number=0, shape=SMALL) -> None:
    data = read(path)
    variable = data["w" if field_number == 0 else "t"]
    assert len(variable) >= lengths.get("time", 0)
    for i in range(len(variable)):
        np.testing.assert_array_equal(variable.values[i], put_values(field_number, shape, TIMES[i], i + 1))


def test_full_disk_stops_the_run(job):
    serving = servers(1, buffer="4 MiB")
    result = job(player(shape=SHAPE), serving, config=config(on_error="stop"), preexec=small_disk)
    result.failed_with("out.nc", code=RESOURCE)
    assert_no_crash(result)
    promised = commits(result.folder)
    assert promised["out.nc"]["time"] > 3
    assert_whole(result.path("out.nc"), promised["out.nc"], shape=SHAPE)


def test_full_disk_costs_one_file_only(job):
    serving = servers(1, buffer="4 MiB")
    result = job(player(shape=SHAPE), serving, config=config(on_error="skip"), preexec=small_disk).finished()
    assert_no_crash(result)
    assert "out.nc" in result.output, "the message about the abandoned file"
    assert_whole(result.path("out.nc"), commits(result.folder)["out.nc"], shape=SHAPE)
    good = read(result.path("good.nc"))
    assert len(good.t) == len(TIMES)
    files = {file["path"]: file["skipped"] for file in report_of(result.folder)["files"]}
    assert "File too large" in files["out.nc"]
    assert files["good.nc"] == ""
    shown = tailrace("report", cwd=result.folder)
    assert "out.nc was skipped: " in shown.stdout, shown.stdout + shown.stderr


def test_a_report_that_cannot_be_written_costs_the_report_only(job, tmp_path):
    """As on a full disk: the files of the report cannot be created, at the start or at the end."""
    folder = tmp_path / "job1"
    report = folder / "tailrace_report"
    (report / "declared.model.json" / "in the way").mkdir(parents=True)
    with job.start(player(pace=0.02), servers(2), config=config(), folder=folder) as running:
        while "out.nc" not in commits(folder):
            assert running.alive(), running.log.read_text()
            time.sleep(0.02)
        (report / "report.json" / "in the way").mkdir(parents=True)
        result = running.wait().finished()
    assert "warning: no declarations in the report directory: " in result.output
    assert "warning: no report: " in result.output
    assert_whole(result.path("out.nc"), {"time": len(TIMES)})


def test_a_folder_that_is_a_file(job, tmp_path):
    folder = tmp_path / "job1"
    folder.mkdir()
    (folder / "blocked").write_text("not a folder")
    result = job.start(player(), servers(1), config=config("blocked/out.nc"), folder=folder).wait()
    result.failed_with("blocked/out.nc", code=RESOURCE)
    assert_no_crash(result)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_unwritable_folder(job, tmp_path):
    folder = tmp_path / "job1"
    (folder / "closed").mkdir(parents=True)
    (folder / "closed").chmod(0o555)
    result = job.start(player(), servers(1), config=config("closed/out.nc"), folder=folder).wait()
    result.failed_with("closed/out.nc", "no permission in the folder", code=RESOURCE)


@pytest.mark.parametrize("way", ["leave", "exit"])
def test_a_rank_that_leaves_without_finish(job, way):
    fault = {"kind": way, "rank": 1, "step": 30}
    result = job(player(ranks=3, fault=fault, pace=0.005), servers(2), config=config())
    if way == "leave" or MPI == "openmpi":  # (for MPICH's launcher a rank that exits with 0 is a success)
        assert result.status != 0
    assert_no_crash(result)
    if way == "leave":  # (after `exit` mpirun ends the job by itself)
        result.failed_with("finish", code=LOST)
        assert result.output.count("tailrace: error: ") == 1, result.output
    for name, lengths in commits(result.folder).items():
        assert_whole(result.path(name), lengths, field_number=0 if name == "out.nc" else 1)


@pytest.mark.parametrize("transport", ["shm", "mpi"])
def test_a_server_that_is_killed(job, transport):
    fault = {"kind": "kill", "rank": 0, "step": 30, "victim": 3}
    result = job(player(ranks=2, fault=fault, pace=0.005), servers(2, transport=transport), config=config())
    assert result.status != 0
    assert_no_crash(result)
    for name, lengths in commits(result.folder).items():
        assert_whole(result.path(name), lengths, field_number=0 if name == "out.nc" else 1)


def test_two_sessions_that_write_the_same_file(job, tmp_path):
    folder = tmp_path / "shared"
    with job.start(player(pace=0.05), servers(1), config=config(), folder=folder) as first:
        while "out.nc" not in commits(folder):
            assert first.alive()
            time.sleep(0.02)
        second = job.start(player(), servers(1), config=config(), folder=folder).wait()
        second.failed_with("out.nc", code=RESOURCE)
        assert "is the report directory of another session that is still running" in second.output
        lines = (folder / "tailrace_report" / "commits.jsonl").read_text().splitlines()
        first_line = next(json.loads(line) for line in lines if "out.nc" in line)
        assert first_line["lengths"] == {"time": 1}, "the log of the first is whole"
