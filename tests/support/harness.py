"""Whole MPI jobs in one line that lists the participants:

    result = job(model(3, grids=[block_grid()], fields=[field("w", "les")], times=times), servers(2), config=...)

A job runs in its own folder under mpirun, with a timeout that ends the whole process group. The configuration is a dict
(written as YAML) to which the harness adds the `servers:` section. A component of a coupled run may have its own:
model(3, config=..., component="air", ...).

Keys of a scenario (the JSON file that the player reads; see player.cpp):
  component, configuration  as in Session::start; the latter is a file name
  initial_time, times       model time before the first step and after each step
  pace                      seconds of sleep in each step, where a test needs a run that lasts
  exchange_values           numbers that each rank sends its neighbour between two calls, before a sum over all ranks
                            (200); 0: the ranks do not communicate
  report_steps              print `STEP n` after each step (first rank)
  in_step                   wait for the other ranks before each step
  asks_stop                 ask stop_requested after each step; if so, print `STOPPING n` (first rank) and finish
  checkpoints               ask restarting, and checkpoint_due after the puts of each step; make a checkpoint where one
                            is due (`CHECKPOINT n`), with values besides; go on from one (`RESTARTED n`)
  requests                  steps at which it requests a checkpoint
  got                       names of the checkpointed fields: they are put for a checkpoint, and after a restart read
                            and compared like the values
  options                   integers for Session::option
  grids                     name, kind (block | indexed | replicated), dims, shape; split: the dims that are split over
                            the ranks; blocks: of each rank, along the first of them (1; with more, fields and inputs
                            are dense, and coordinates with part have all dims; a single rank has one);
                            indexed_dim; mesh; mesh_in_parts; coordinates: name, dims, units, first, spacing, part
  fields                    name, grid, type, units, how (dense | strided | acquire), fixed (always the values of
                            the start), missing_steps (not put at these)
                            and missing_ranks (by these; all if not given); the values are those of
                            values.put_values with the field's position in this list
  inputs                    name, grid, type, units, optional, fill_value, how (dense | strided), from_step and every:
                            got at these steps (0: before the first one) and left in files (reading_inputs.py); one
                            that is not available is printed as `LACKS name`, an error as `NOTHING at step n: message`
  fault                     kind, rank (of the component), step; kinds: put_before_ready (step 0), wrong_size,
                            wrong_type, undeclared, back_in_time, overlap, hole, exit (ends the process), leave (lets
                            the session go without finish), kill (SIGKILL to world rank `victim`), sleep (for 3 s),
                            wait (until there is a file `go`)
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from pathlib import Path

import pytest
import yaml

TREE = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("TAILRACE_BUILD", TREE / "build" / "release")).resolve()
PLAYER = BUILD / "tests" / "player"
CONFIGURATION = "tailrace.yaml"
MPI = os.environ.get("TAILRACE_MPI", "openmpi")  # or mpich: whose mpirun is first on the PATH
# Options with which the launcher does not end other processes when one ends, with or without an error. (MPICH's
# launcher still ends the others after a death by a signal, at once and with SIGKILL.)
SURVIVORS_LIVE = {
    "openmpi": ("--enable-recovery", "--mca", "orte_abort_on_non_zero_status", "0"),
    "mpich": ("-disable-auto-cleanup",),
}[MPI]
needs_survivors_of_signals = pytest.mark.skipif(
    MPI == "mpich", reason="MPICH's launcher kills the other ranks when one is ended by a signal"
)


@dataclass
class Model:
    ranks: int
    scenario: dict
    config: dict | None = None  # if it differs from that of the job


@dataclass
class Servers:
    ranks: int
    mode: str = "dedicated"
    own_program: bool = False  # started as separate programs instead of among the model's ranks
    command: tuple[str, ...] = (str(PLAYER), "--serve")
    options: dict = dataclass_field(default_factory=dict)


def model(ranks: int, config: dict | None = None, **scenario) -> Model:
    return Model(ranks, scenario, config)


def servers(ranks: int, **keywords) -> Servers:
    """Dedicated server ranks. Keywords that Servers does not have go into the `servers:` section."""
    known = {"own_program", "command"}
    options = {key: value for key, value in keywords.items() if key not in known}
    return Servers(ranks, options=options, **{key: value for key, value in keywords.items() if key in known})


def attached(**options) -> Servers:
    return Servers(0, mode="attached", options=options)


def inline(**options) -> Servers:
    return Servers(0, mode="inline", options=options)


def off() -> Servers:
    return Servers(0, mode="off")


def block_grid(name="les", shape=(3, 7, 11), split=("y", "x"), coordinates=None, dims=("z", "y", "x")) -> dict:
    if coordinates is None:
        coordinates = [
            {"name": "z", "units": "m", "standard_name": "height", "first": 10.0, "spacing": 20.0}
            | {"attributes": {"axis": "Z", "positive": "up"}},
            {"name": "y", "units": "m", "long_name": "northward distance", "spacing": 50.0, "part": True},
            {"name": "x", "units": "m", "long_name": "eastward distance", "spacing": 50.0, "part": True},
        ]
        coordinates = [one for one in coordinates if one["name"] in dims]
    return dict(name=name, kind="block", dims=list(dims), shape=list(shape), split=list(split), coordinates=coordinates)


def indexed_grid(name="ico", shape=(2, 43), mesh=False, mesh_in_parts=False) -> dict:
    coordinates = [
        {"name": "lon", "dims": ["cell"], "units": "degrees_east", "standard_name": "longitude", "part": True},
        {"name": "lat", "dims": ["cell"], "units": "degrees_north", "standard_name": "latitude", "part": True},
        {"name": "level", "units": "m", "standard_name": "height", "attributes": {"axis": "Z", "positive": "up"}},
    ]
    coordinates[0]["spacing"], coordinates[1]["spacing"] = 0.5, 0.25
    return dict(name=name, kind="indexed", dims=["level", "cell"], shape=list(shape), indexed_dim="cell", mesh=mesh) | {
        "mesh_in_parts": mesh_in_parts,
        "coordinates": coordinates,
    }


def replicated_grid(name="column", size=5) -> dict:
    return dict(name=name, kind="replicated", dims=["k"], shape=[size], coordinates=[{"name": "k", "units": "1"}])


def field(name: str, grid: str = "", type: str = "float64", **more) -> dict:
    return dict(name=name, grid=grid, type=type, **more)


CHECKS_FILES = False  # whether the files of successful jobs are checked against CF: set for a folder of tests


@dataclass
class Result:
    """The output of a job."""

    folder: Path
    status: int
    output: str
    errors: list[tuple[int, str]]  # (code, message) of each rank that printed one
    seconds: float

    def path(self, name: str) -> Path:
        return self.folder / name

    def finished(self) -> "Result":
        assert self.status == 0, self.output
        # By Tailrace's own count, and by UCX's messages under MPICH.
        assert "was never received" not in self.output and "was not matched" not in self.output, self.output
        if CHECKS_FILES or os.environ.get("TAILRACE_CHECK_CF"):
            self.check_files()
        return self

    def check_files(self) -> None:
        """One checker reads files with a new structure; with TAILRACE_CHECK_CF all checkers read all files."""
        from support.checkers import complaints, quick_complaints

        # A test may have created other files, which are not HDF5; inputs and checkpoints are not output.
        aside = ("tables", "step_")
        found = sorted(path for path in self.folder.glob("**/*.nc") if not path.parent.name.startswith(aside))
        files = [path for path in found if path.open("rb").read(4) == b"\x89HDF"]
        check = complaints if os.environ.get("TAILRACE_CHECK_CF") else quick_complaints
        told = check(*files) if files else []
        assert told == [], told

    def failed_with(self, *pieces: str, code: int | None = None) -> "Result":
        """Some rank printed an error of Tailrace that contains all pieces of text (and has the code)."""
        assert self.status != 0, self.output
        assert self.errors, f"no error of Tailrace was printed:\n{self.output}"
        for got, message in self.errors:
            if all(piece in message for piece in pieces) and code in (None, got):
                return self
        raise AssertionError(f"no error has {pieces} with code {code}:\n{self.output}")


def mpi_environment(**more: str) -> dict[str, str]:
    """More ranks than cores, root may run them, and they must not spin while others wait for the core."""
    # The choice of Open MPI on one node without a fast network, without its search of 0.2 s.
    environment = {"OMPI_MCA_pml": "ob1", **os.environ}
    return environment | {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_hwloc_base_binding_policy": "none",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
        "OMP_NUM_THREADS": "1",
        "TAILRACE_CHECK_MESSAGES": "1",  # a message that was not received is an error in the log
        **more,
    }


class Running:
    """A started job; `wait` returns its Result. Ends the whole process group at the end of the context."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str], preexec=None):
        self.folder = folder
        self.begin = time.monotonic()
        self.log = folder / "job.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=preexec,
            )

    def __enter__(self) -> "Running":
        return self

    def __exit__(self, *_) -> None:
        self.kill()

    def alive(self) -> bool:
        return self.process.poll() is None

    def rank_pids(self) -> list[int]:
        return [int(path.read_text()) for path in self.folder.glob("pid.*") if path.read_text().strip()]

    def kill(self) -> None:
        """SIGKILL to every rank and to mpirun, without a chance to clean up; returns when they have ended."""
        # A reused pid belongs to another process; those of the job have this folder as working directory.
        ranks = [pid for pid in self.rank_pids() if works_in(pid, self.folder)]
        for pid in ranks:
            try_kill(pid)
        if self.process.poll() is None:
            try_kill(-self.process.pid)
        self.process.wait()
        while any(works_in(pid, self.folder) for pid in ranks):
            time.sleep(0.01)

    def wait_for(self, text: str, timeout: float = 60.0) -> None:
        """Waits until the job has printed the text."""
        end = time.monotonic() + timeout
        while text not in self.log.read_text(errors="replace"):
            assert self.alive(), f"the job ended before it said {text!r}:\n{self.log.read_text(errors='replace')}"
            assert time.monotonic() < end, (
                f"{text!r} was not said in {timeout} s:\n{self.log.read_text(errors='replace')}"
            )
            time.sleep(0.01)

    def wait(self, timeout: float = 60.0) -> Result:
        try:
            self.process.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the job hung ({timeout} s):\n{self.log.read_text(errors='replace')}") from None
        output = self.log.read_text(errors="replace")
        return Result(self.folder, self.process.returncode, output, find_errors(output), time.monotonic() - self.begin)


def works_in(pid: int, folder: Path) -> bool:
    """Also if only a thread other than the first is left: it holds the files of the process until it has ended."""
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:  # it has ended, or is no process of ours
        return False
    for thread in threads:
        with contextlib.suppress(OSError):
            if (thread / "cwd").readlink() == folder:
                return True
    return False


def try_kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def find_errors(output: str) -> list[tuple[int, str]]:
    """`ERROR <code> <message>`; a message continues until another line of the player or of mpirun."""
    words = "NOTHING |UNEXPECTED |FINISHED|SERVED|LEFT|LOST |STEP |STOPPING |RESTARTED |CHECKPOINT "
    ending = rf"(?=^(?:ERROR \d|{words}|-{{20,}})|\Z)"
    pattern = re.compile(rf"^ERROR (\d+) (.*?)\n{ending}", re.MULTILINE | re.DOTALL)
    return [(int(code), message) for code, message in pattern.findall(output + "\n")]


class Job:
    """The `job` fixture: `job(...)` runs to the end, `job.start(...)` gives the Running job."""

    def __init__(self, folder: Path):
        self.root = folder
        self.count = 0

    def __call__(self, *players, timeout: float = 60.0, **keywords) -> Result:
        with self.start(*players, **keywords) as running:
            return running.wait(timeout)

    def start(
        self, *players, config: dict, folder: Path | None = None, environment=None, preexec=None, launcher=()
    ) -> Running:
        """`launcher`: options of mpirun."""
        models = [player for player in players if isinstance(player, Model)]
        (serving,) = [player for player in players if isinstance(player, Servers)] or [Servers(1)]
        if folder is None:
            self.count += 1
            folder = self.root / f"job{self.count}"
        folder.mkdir(parents=True, exist_ok=True)
        write_configuration(folder / CONFIGURATION, config, serving)
        for i, one in enumerate(models):
            if one.config is not None:
                write_configuration(folder / configuration_name(i, one), one.config, serving)
        command = mpirun_command(models, serving, folder)
        command[1:1] = launcher
        settings = mpi_environment(**(environment or {}))
        if launcher == SURVIVORS_LIVE:  # a dead rank would make the others wait in that check
            del settings["TAILRACE_CHECK_MESSAGES"]
        return Running(command, folder, settings, preexec)


def configuration_name(number: int, one: Model) -> str:
    return CONFIGURATION if one.config is None else f"tailrace{number}.yaml"


def write_configuration(path: Path, config: dict, serving: Servers) -> None:
    section = {"mode": serving.mode} | serving.options | config.get("servers", {})
    if serving.mode == "dedicated" and not {"per_node", "per_domain"} & section.keys():
        section.setdefault("count", serving.ranks)
    path.write_text(yaml.safe_dump({"tailrace": 1} | config | {"servers": section}, sort_keys=False))


def mpirun_command(models: list[Model], serving: Servers, folder: Path) -> list[str]:
    apps = []
    for i, one in enumerate(models):
        scenario = {"component": "model", "configuration": configuration_name(i, one)}
        scenario |= {"grids": [], "fields": [], "times": []}
        name = f"scenario{i}.json"
        (folder / name).write_text(json.dumps(scenario | one.scenario))
        ranks = one.ranks
        if i == len(models) - 1 and serving.mode == "dedicated" and not serving.own_program:
            ranks += serving.ranks  # taken from the end of the communicator
        apps.append(["-n", str(ranks), str(PLAYER), name])
    if serving.own_program:
        apps.append(["-n", str(serving.ranks), *serving.command, CONFIGURATION])
    command = ["mpirun"]
    for i, app in enumerate(apps):
        command += ([":"] if i else []) + app
    return command


def tailrace(
    *arguments: str, cwd: Path | None = None, timeout: float = 60.0, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess:
    """Runs the `tailrace` command like a user."""
    return subprocess.run(
        [sys.executable, "-m", "tailrace.cli", *arguments],
        cwd=cwd,
        env=mpi_environment(**(environment or {})),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
    )
