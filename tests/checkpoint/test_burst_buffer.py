"""Checkpoints through a burst buffer. The next job drains what a killed job left on the nodes; if a shard is missing,
it uses the previous checkpoint and reports the shard and the reason. Also buffers that are full or cannot be
written."""

import json
import re
import shutil
from pathlib import Path

import pytest
from support.chains import assert_same, files_of
from support.harness import Job, attached, block_grid, field, inline, model, servers, tailrace
from support.values import varying_times

STEPS = 12
TIMES = varying_times(STEPS, seed=17, shortest=0.4, longest=1.7)
SET = "step_000000000006"


def config(buffer: Path, **checkpoint) -> dict:
    return {
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "output": {"a.nc": {"variables": [{"field": "w", "operation": "mean", "every": "4 s"}]}},
        "checkpoint": {"every": "3 steps", "fields": ["w", "q"], "keep": 2, "burst_buffer": str(buffer)} | checkpoint,
    }


def play(ranks=2, steps=STEPS, **scenario):
    fields = [field("w", "les"), field("q", "les", "float32")]
    scenario = {"times": TIMES[:steps], "fields": fields, "checkpoints": True, "got": ["w", "q"]} | scenario
    return model(ranks, grids=[block_grid()], **scenario)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    return files_of(Job(folder)(play(3), servers(2), config=config(folder / "node")).finished().folder)


@pytest.fixture
def buffer(tmp_path) -> Path:
    return tmp_path / "node"


def in_buffer(buffer: Path) -> list[str]:
    return sorted(str(path.relative_to(buffer)) for path in buffer.rglob("state.*"))


def report_of(folder: Path) -> dict:
    return json.loads((folder / "tailrace_report/report.json").read_text())


def killed(job, buffer: Path, place: str) -> Path:
    """The folder of a run in which one of two servers is killed when it reaches `place` for the second time."""
    environment = {"TAILRACE_FAULT_AT": f"2:{place}:kill:2"}
    result = job(play(2), servers(2), config=config(buffer), environment=environment)
    assert result.status != 0, result.output
    return result.folder


@pytest.mark.parametrize("serving", [servers(2), attached(), inline()], ids=["dedicated", "attached", "inline"])
def test_all_is_drained_before_the_end(job, buffer, whole, serving):
    result = job(play(2), serving, config=config(buffer), environment={"TAILRACE_LOG": "info"}).finished()
    assert_same(result.folder, whole, [])
    assert in_buffer(buffer) == []
    sets = result.folder / "restart/model"
    assert [path.name for path in sorted(sets.glob("step_*"))] == ["step_000000000009", "step_000000000012"]
    assert not list(sets.glob("*/*.on_nodes"))
    verified = tailrace("checkpoint", "verify", "restart", cwd=result.folder)
    assert verified.returncode == 0, verified.stdout
    told = re.findall(r"checkpoint of step (\d+) .* are (on the nodes|durable)", result.output)
    assert [step for step, where in told if where == "durable"] == ["3", "6", "9", "12"]  # in order
    assert all(told.index((step, "on the nodes")) < told.index((step, "durable")) for step, _ in told)
    (counted,) = [s for s in report_of(result.folder)["servers"] if s["checkpoints"]]
    counts = counted["burst_buffer"]
    assert counted["checkpoints"] == counts["to_nodes"]["count"] == 4
    assert counts["bytes"] == counted["checkpoint_bytes"] >= counts["high_water_bytes"] > 3 * 7 * 11 * 12
    assert counts["overflowed_members"] == 0
    assert "burst buffers" in tailrace("report", cwd=result.folder).stdout


@pytest.mark.parametrize(("place", "step"), [("member", 3), ("noted", 6), ("drain", 6), ("drained", 6)])
def test_what_a_killed_job_left_is_drained(job, buffer, whole, place, step):
    """On other ranks and servers, which find only what is on the node."""
    folder = killed(job, buffer, place)
    drained_before = (folder / "restart/model" / SET / "manifest.json").exists()
    left = in_buffer(buffer)
    assert drained_before or any(SET in path for path in left) or place == "drained"
    result = job(play(3), servers(1), config=config(buffer), folder=folder).finished()
    assert f"RESTARTED {step}\n" in result.output
    assert_same(folder, whole, [place])
    assert in_buffer(buffer) == []
    run = report_of(folder)["run"]
    assert (run["drained_members"] > 0) == (step == 6 and not drained_before)


def test_what_is_damaged_or_missing_is_reported(job, buffer, whole, tmp_path):
    """A checkpoint on the node is damaged; the previous one is used."""
    folder = killed(job, buffer, "drain")
    begun = {path: shutil.copytree(path, tmp_path / f"begun.{path.name}") for path in (folder, buffer)}

    def restore() -> Path:
        for path, copy in begun.items():
            shutil.rmtree(path)
            shutil.copytree(copy, path)
        return next(path for path in buffer.rglob(f"{SET}/state.0.nc"))

    member = restore()
    listed = tailrace("checkpoint", "list", "restart", cwd=folder)
    assert "on nodes" in listed.stdout and "shard state.0.nc waits in the burst buffer of node" in listed.stdout
    assert tailrace("inspect", "restart", cwd=folder).returncode == 0

    contents = bytearray(member.read_bytes())
    contents[len(contents) // 2] ^= 1
    member.write_bytes(contents)
    result = job(play(3), servers(1), config=config(buffer), folder=folder).finished()
    assert "RESTARTED 3\n" in result.output
    assert f"{SET}: shard state.0.nc in the burst buffer ({member} on " in result.output
    assert "was damaged while it was copied, from its byte" in result.output
    assert f"{SET} is not used: shard state.0.nc waits in the burst buffer of node" in result.output
    assert_same(folder, whole, ["torn"])

    restore().unlink()
    tried = tailrace("checkpoint", "drain", "restart", cwd=folder)
    assert tried.returncode == 1 and "shard state.0.nc waits in the burst buffer" in tried.stdout
    result = job(play(1), attached(), config=config(buffer), folder=folder).finished()
    assert "RESTARTED 3\n" in result.output and "not used: shard state.0.nc waits" in result.output

    restore()
    tried = tailrace("checkpoint", "drain", "restart", cwd=folder)
    assert tried.returncode == 0 and f"drained restart/model/{SET}" in tried.stdout, tried.stdout + tried.stderr
    without = config(buffer)
    del without["checkpoint"]["burst_buffer"]
    assert "RESTARTED 6\n" in job(play(1), servers(1), config=without, folder=folder).finished().output


def test_a_buffer_that_cannot_be_written(job, tmp_path):
    (tmp_path / "file").write_text("no directory")
    job(play(), servers(2), config=config(tmp_path / "file/node")).failed_with(
        "tailrace.yaml:",
        "checkpoint.burst_buffer: server ",
        "cannot write there, on node",
        "expected a directory that each node with a server has",
    )


def test_without_a_usable_buffer_it_is_written_directly(job, buffer, whole):
    """Here because a file is in the way; burst_test.cpp tests a full disk."""
    in_the_way = Path(f"{buffer}{job.root}/job1/restart/model/{SET}")
    in_the_way.parent.mkdir(parents=True)
    in_the_way.write_text("no directory")
    result = job(play(2), servers(2), config=config(buffer)).finished()
    assert f"checkpoint.burst_buffer: {in_the_way}/state.0.nc cannot be written there" in result.output
    assert_same(result.folder, whole, [])
    (counts,) = [s["burst_buffer"] for s in report_of(result.folder)["servers"] if s["checkpoints"]]
    assert counts["overflowed_members"] == 2 and counts["to_nodes"]["count"] == 4
    assert tailrace("checkpoint", "verify", "restart", cwd=result.folder).returncode == 0


def test_two_jobs_share_a_buffer(tmp_path, buffer, whole):
    jobs = [Job(tmp_path / name) for name in ("one", "two")]
    running = [one.start(play(1), servers(1), config=config(buffer)) for one in jobs]
    for one in running:
        assert_same(one.wait().finished().folder, whole, [])
    assert in_buffer(buffer) == []
