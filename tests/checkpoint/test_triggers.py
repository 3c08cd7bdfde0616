"""Triggers of checkpoints besides the schedule: SIGUSR1, and the time limit of the job from the user or Slurm."""

import os
import signal
import time

import pytest
from support.harness import attached, block_grid, field, inline, model, servers

pytestmark = pytest.mark.mpich

TIMES = [float(step) for step in range(1, 4001)]
FIELDS = [field("w", "les")]
OUTPUT = {"a.nc": {"variables": [{"field": "w", "operation": "mean", "every": "5 s"}]}}


def config(**checkpoint) -> dict:
    return {
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "output": OUTPUT,
        "checkpoint": {"every": "never", "fields": ["w"]} | checkpoint,
    }


def play(ranks=2, steps=4000, **scenario):
    scenario = {"times": TIMES[:steps], "fields": FIELDS, "checkpoints": True, "got": ["w"]} | scenario
    return model(ranks, grids=[block_grid()], report_steps=True, asks_stop=True, **scenario)


def pids(folder) -> list[int]:
    return [int(path.read_text()) for path in folder.glob("pid.*")]


def steps_of(output: str, word: str) -> list[int]:
    return [int(line.split()[1]) for line in output.splitlines() if line.startswith(word + " ")]


@pytest.mark.parametrize("serving", [servers(2), attached(), inline()], ids=["dedicated", "attached", "inline"])
def test_a_signal_only_requests_a_checkpoint(job, serving):
    with job.start(play(steps=150, pace=0.02), serving, config=config()) as running:
        running.wait_for("STEP 12\n")
        for pid in pids(running.folder):
            os.kill(pid, signal.SIGUSR1)
        running.wait_for("CHECKPOINT")
        result = running.wait().finished()
    (step,) = steps_of(result.output, "CHECKPOINT")
    assert step >= 12 and "STOPPING" not in result.output and "STEP 150\n" in result.output
    assert (result.folder / f"restart/model/step_{step:012}/manifest.json").exists()
    again = job(play(steps=160), serving, config=config(), folder=result.folder).finished()
    assert steps_of(again.output, "RESTARTED") == [step]


def test_a_signal_that_only_one_rank_gets(job):
    with job.start(play(3, steps=120, pace=0.02), servers(1), config=config()) as running:
        running.wait_for("STEP 9\n")
        os.kill(int((running.folder / "pid.2").read_text()), signal.SIGUSR1)
        result = running.wait().finished()
    assert len(steps_of(result.output, "CHECKPOINT")) == 1


@pytest.mark.parametrize("told_by", ["user", "slurm"])
def test_before_the_limit_of_the_job(job, told_by):
    limit, environment = {"before_time_limit": "60 s"}, {}
    if told_by == "user":
        limit["time_limit"] = "62 s"
    else:
        environment["SLURM_JOB_END_TIME"] = str(int(time.time()) + 62)
    with job.start(play(pace=0.02), servers(2), config=config(**limit), environment=environment) as running:
        result = running.wait(30.0).finished()
    assert "the limit of the job is near" in result.output
    (step,) = steps_of(result.output, "CHECKPOINT")
    assert steps_of(result.output, "STOPPING") == [step]
    again = job(play(steps=step + 3), servers(1), config=config(), folder=result.folder).finished()
    assert steps_of(again.output, "RESTARTED") == [step]


def test_an_unknown_limit(job):
    environment = {"SLURM_JOB_END_TIME": ""}
    result = job.start(play(steps=5), servers(1), config=config(before_time_limit="60 s"), environment=environment)
    with result as running:
        output = running.wait().finished().output
    assert output.count("the limit of this job is not known") == 1 and "CHECKPOINT" not in output


def test_invalid_limits(job):
    result = job(play(), config=config(time_limit="5 min"))
    result.failed_with("tailrace.yaml:", "checkpoint.time_limit", "`before_time_limit: 10 min`")
    result = job(play(), config=config(time_limit="5 min", before_time_limit="6 min"))
    result.failed_with("checkpoint.time_limit", "due before the job begins", "more than `before_time_limit`")
