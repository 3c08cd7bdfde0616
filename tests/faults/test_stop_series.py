"""Many runs that are ordered to stop at a random moment, in the ways that docs/guide/modes.md describes: at most the
step in progress is missing from the file, and a checkpoint of the last step is there.

TAILRACE_TEST_FAULTS=1 runs it, TAILRACE_TEST_STOPS says how many runs of each way (25); with TAILRACE_TEST_BUSY as
many busy processes run beside. Slurm's ways need its commands and a running cluster (SLURM_CONF), and Open MPI; their
script is that of the guide."""

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.harness import (
    CONFIGURATION,
    MPI,
    TREE,
    Job,
    model,
    mpi_environment,
    mpirun_command,
    servers,
    write_configuration,
)
from support.stop_orders import ASKS, CONFIG, ORDER, SCENARIO, assert_whole, run_by_tailrace, steps_of

STOPS = int(os.environ.get("TAILRACE_TEST_STOPS", 25))
BUSY = int(os.environ.get("TAILRACE_TEST_BUSY", 0))
# States of a job that is over. One that gets a signal at that moment is SIGNALING.
ENDED = ("COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY")
AT_A_TIME = 6  # jobs of Slurm that run together; each waits for the cluster for most of its time

pytestmark = pytest.mark.skipif("TAILRACE_TEST_FAULTS" not in os.environ, reason="a series of minutes, on request")


@pytest.fixture(scope="module", autouse=True)
def neighbours():
    """Busy processes, at the priority of the job."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
    yield
    for process in busy:
        process.kill()
        process.wait()


def assert_saved(folder: Path, output: str) -> None:
    """There is one checkpoint, and the file ends with its step."""
    (manifest,) = folder.glob("restart/model/step_*/manifest.json")
    step = int(manifest.parent.name.removeprefix("step_"))
    assert assert_whole(folder, step) == step, output
    # An mpirun that ends its job reads no more output.
    assert steps_of(output, "STOPPING") in ([step], []), output


def moment(run: int) -> int:
    """The step before whose end the order comes."""
    return random.Random(run).randint(2, 60)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_tailrace_run(tmp_path, number):
    for run in range(STOPS):
        with run_by_tailrace(tmp_path / f"job{run}", servers(1), **ASKS) as running:
            running.wait_for(f"STEP {moment(run)}\n")
            running.process.send_signal(number)
            result = running.wait(120)
        result.finished()
        assert_saved(result.folder, result.output)
        shutil.rmtree(result.folder)


def test_the_stop_signal(tmp_path):
    """To the launcher: SIGUSR2 to Open MPI's mpirun, SIGTERM to MPICH's."""
    for run in range(STOPS):
        serving = servers(1, stop_signal=ORDER.name)
        with Job(tmp_path / f"{run}").start(model(2, **SCENARIO, **ASKS), serving, config=CONFIG) as running:
            running.wait_for(f"STEP {moment(run)}\n")
            running.process.send_signal(ORDER)
            result = running.wait(120)
        result.finished()
        assert_saved(result.folder, result.output)
        shutil.rmtree(result.folder)


def test_a_model_that_does_not_ask(tmp_path):
    """Its files have every step but the one in progress, at each moment."""
    scenario = SCENARIO | {"in_step": False}
    for run in range(STOPS):
        serving = servers(1, grace="4 s", stop_signal=ORDER.name)
        with Job(tmp_path / f"{run}").start(model(2, **scenario), serving, config=CONFIG) as running:
            running.wait_for(f"STEP {moment(run)}\n")
            running.process.send_signal(ORDER)
            done = steps_of(running.log.read_text(errors="replace"), "STEP")[-1]
            result = running.wait(120)
        assert result.status != 0 and f"ended by {ORDER.name}" in result.output
        assert_whole(result.folder, done - 1)
        shutil.rmtree(result.folder)


@pytest.mark.skipif(MPI == "mpich", reason="MPICH's launcher passes SIGTERM on; it is the stop signal there")
def test_sigterm_to_mpirun_itself(tmp_path):
    """Open MPI's mpirun sends SIGCONT, and kills a second later. No promise: what is missing is printed."""
    missing = []
    for run in range(STOPS):
        with Job(tmp_path / f"{run}").start(model(2, **SCENARIO), servers(1), config=CONFIG) as running:
            running.wait_for(f"STEP {moment(run)}\n")
            at_signal = steps_of(running.log.read_text(errors="replace"), "STEP")[-1]
            running.process.send_signal(signal.SIGTERM)
            result = running.wait(120)
        assert result.status != 0
        there = assert_whole(result.folder, at_signal - 2)
        missing.append(steps_of(result.output, "STEP")[-1] - there)
        shutil.rmtree(result.folder)
    print(f"steps after the last record, by run: {sorted(missing)}")


def has_slurm() -> bool:
    if shutil.which("sbatch") is None:
        return False
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        return subprocess.run(["sinfo"], capture_output=True, timeout=10).returncode == 0
    return False


def script_of_the_guide(limit: str, notice: int, lines: dict[str, str]) -> str:
    guide = (TREE / "docs" / "guide" / "modes.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"```bash file=batch\.sh\n(.*?)```", guide, re.DOTALL)
    lines = {"--time=06:00:00": f"--time={limit}", "B:USR1@300": f"B:USR1@{notice}"} | lines
    for old, new in lines.items():
        assert old in script, old
        script = script.replace(old, new)
    return script


class Submitted:
    """A job of Slurm with the guide's script, that plays the scenario in its own folder."""

    def __init__(self, folder: Path, launcher: str, notice: int):
        self.folder = folder
        folder.mkdir()
        by_tailrace = launcher == "tailrace"
        serving = servers(1, signals="all", **({} if by_tailrace else {"stop_signal": "SIGUSR2"}))
        write_configuration(folder / CONFIGURATION, CONFIG, serving)
        endless = SCENARIO | {"pace": 0.04}
        command = mpirun_command([model(2, **endless, **ASKS)], serving, folder)
        number, program = command[2], " ".join(command[3:])
        tailrace = f"{sys.executable} -m tailrace.cli"
        line = "tailrace run -n 64 run.yaml -- ./model &"
        lines = {line: f"{tailrace} run -n {number} {CONFIGURATION} -- {program} &"}
        if not by_tailrace:
            lines = {line: f"mpirun -n {number} {program} &", "kill -TERM": "kill -USR2"}
        (folder / "batch.sh").write_text(script_of_the_guide("00:02:00", notice, lines))
        self.number = subprocess.check_output(
            ["sbatch", "--parsable", "-n", number, "-D", str(folder), "-o", str(folder / "job.log"), "batch.sh"],
            cwd=folder,
            env=mpi_environment(),
            text=True,
        ).strip()

    def output(self) -> str:
        log = self.folder / "job.log"
        return log.read_text(errors="replace") if log.exists() else ""

    def wait_for(self, text: str) -> None:
        end = time.monotonic() + 300
        while text not in self.output():
            assert time.monotonic() < end, self.output()
            time.sleep(0.02)

    def wait(self) -> str:
        """Returns the state in which it ended."""
        end = time.monotonic() + 300
        while True:
            shown = subprocess.run(["scontrol", "-o", "show", "job", self.number], capture_output=True, text=True)
            state = re.search(r"JobState=(\w+)", shown.stdout)  # none while a busy controller does not answer
            if state and state[1] in ENDED:
                return state[1]
            assert "Invalid job id" not in shown.stderr, self.output()
            assert time.monotonic() < end, self.output()
            time.sleep(0.2)


@pytest.mark.skipif(MPI == "mpich" or not has_slurm(), reason="needs a cluster of Slurm, and Open MPI")
@pytest.mark.parametrize("launcher", ["tailrace", "mpirun"])
@pytest.mark.parametrize("end", ["scancel", "scancel --batch", "limit"])
def test_slurm(tmp_path, launcher, end):
    notice = 45 if end == "limit" else 10  # Slurm may send it a minute earlier, but not before the ranks have started
    for first in range(0, STOPS, AT_A_TIME):
        runs = range(first, min(first + AT_A_TIME, STOPS))
        jobs = [Submitted(tmp_path / f"job{run}", launcher, notice) for run in runs]
        for run, job in zip(runs, jobs, strict=True):
            if end == "limit":
                continue
            job.wait_for(f"STEP {moment(run) // 4 + 1}\n")
            if end == "scancel":
                subprocess.run(["scancel", "--quiet", job.number], check=True)
            elif end == "scancel --batch":
                subprocess.run(["scancel", "--batch", "--signal=USR1", job.number], check=True)
        for job in jobs:
            state = job.wait()
            assert_saved(job.folder, job.output())
            # Plain scancel signals mpirun too, which then reports a job that it ended.
            assert state == ("CANCELLED" if end == "scancel" else "COMPLETED"), job.output()
            shutil.rmtree(job.folder)
