"""From "so many model ranks, so many servers" to a command line for the MPI that is here. Pure but for `detect`."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

OPEN_MPI, HYDRA, OTHER = "Open MPI", "MPICH", "other"  # Intel MPI starts its jobs with Hydra too

# A batch system decides itself where ranks go and how many a node takes.
BATCH = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "COBALT_JOBID", "PJM_JOBID", "FLUX_JOB_ID")
BINDING_WORDS = {
    "bind-to",
    "map-by",
    "cpu-set",
    "cpu-list",
    "rankfile",
    "rf",
    "hostfile",
    "machinefile",
    "host",
    "hosts",
}


class LaunchError(Exception):
    """The job cannot be started; the message says how it could."""


@dataclass(frozen=True)
class Launcher:
    kind: str
    command: tuple[str, ...]  # mpirun and the options that the user gave with it


@dataclass(frozen=True)
class Machine:
    cores: tuple[int, ...]  # a hardware thread of each physical core that we may use, ascending
    is_root: bool = False
    batch: bool = False


@dataclass(frozen=True)
class Job:
    ranks: int
    program: tuple[str, ...]
    servers: int = 0  # ranks of their own program; 0: those of the configuration, out of `ranks`
    server_program: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


def detect(mpirun: str | None = None) -> Launcher:
    """The launcher: the one given (with options, as in a shell), else mpirun or mpiexec of the PATH."""
    words = _words(mpirun) if mpirun is not None else []
    program = shutil.which(words[0]) if words else shutil.which("mpirun") or shutil.which("mpiexec")
    if not program:
        raise LaunchError(_not_found(words[0] if words else None))
    try:
        answer = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=30)
        said = answer.stdout + answer.stderr
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LaunchError(f"{program} --version did not answer: {error}") from None
    return Launcher(kind_of(said), (program, *words[1:]))


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise LaunchError(f"--mpirun {command!r} is not a command: {error}") from None
    if not words:
        raise LaunchError("--mpirun names no command")
    return words


def _not_found(given: str | None) -> str:
    if given is None:
        return "there is no mpirun or mpiexec on the PATH: install Open MPI or MPICH, load its module, or give --mpirun"
    if os.sep not in given:
        return f"there is no {given} on the PATH, which --mpirun names: install it, load its module, or give its path"
    what = "is not executable" if Path(given).is_file() else "is not a program"
    return f"{given}, which --mpirun names, {what}"


def kind_of(version_text: str) -> str:
    if "Open MPI" in version_text or "OpenRTE" in version_text or "PRRTE" in version_text:
        return OPEN_MPI
    if "HYDRA" in version_text or "Intel(R) MPI" in version_text:
        return HYDRA
    return OTHER


def this_machine() -> Machine:
    allowed = sorted(os.sched_getaffinity(0))
    return Machine(
        cores=tuple(physical_cores(allowed)),
        is_root=os.geteuid() == 0,
        batch=any(name in os.environ for name in BATCH),
    )


def physical_cores(threads: Sequence[int], system: Path = Path("/sys/devices/system/cpu")) -> list[int]:
    """The first allowed hardware thread of each core."""
    cores: dict[str, int] = {}
    for thread in threads:
        try:
            siblings = (system / f"cpu{thread}" / "topology" / "thread_siblings_list").read_text().strip()
        except OSError:
            siblings = str(thread)
        cores.setdefault(siblings, thread)
    return sorted(cores.values())


def server_command(configuration: str) -> tuple[str, ...]:
    """`tailrace serve`, as installed beside this Python, or else this very module."""
    beside = Path(sys.executable).with_name("tailrace")
    if beside.exists():
        return (str(beside), "serve", configuration)
    return (sys.executable, "-m", "tailrace.cli", "serve", configuration)


def command_line(launcher: Launcher, job: Job, machine: Machine) -> list[str]:
    """The whole command. Model ranks come first, so that servers get the last ranks and the last cores."""
    line = [*launcher.command, *_options(launcher, job, machine)]
    line += _part(launcher, job.ranks, job.program, job.environment)
    if job.servers:
        if launcher.kind == OTHER and Path(launcher.command[0]).name == "srun":
            raise LaunchError(
                "srun starts two programs only from a --multi-prog file: use mpirun, or omit --servers and let the "
                "configuration take the servers from the model's ranks (servers: count:)"
            )
        line += [":", *_part(launcher, job.servers, job.server_program, job.environment)]
    return line


def _part(launcher: Launcher, ranks: int, program: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    # Open MPI hands the environment to ranks of this node only; Hydra and srun hand it to all.
    names = [word for name in sorted(environment) for word in ("-x", name)] if launcher.kind == OPEN_MPI else []
    return ["-n", str(ranks), *names, *program]


def _options(launcher: Launcher, job: Job, machine: Machine) -> list[str]:
    options: list[str] = []
    said = {word.lstrip("-").split("=")[0] for word in launcher.command[1:] if word.startswith("-")}
    total = job.ranks + job.servers
    placed = machine.batch or bool(said & BINDING_WORDS)
    if launcher.kind == OPEN_MPI:
        if machine.is_root and "allow-run-as-root" not in said:
            options.append("--allow-run-as-root")
        if not placed and total > len(machine.cores) and "oversubscribe" not in said:
            options.append("--oversubscribe")
        if not placed:
            options += ["--bind-to", "core", "--map-by", "core"] if _fits(job, machine) else ["--bind-to", "none"]
    elif launcher.kind == HYDRA and not placed and _fits(job, machine):
        options += ["-bind-to", "core", "-map-by", "core"]
    return options


def _fits(job: Job, machine: Machine) -> bool:
    """Whether each rank gets a core of its own. A model with OpenMP threads is left to spread them itself."""
    threads = job.environment.get("OMP_NUM_THREADS", "1").split(",")[0]
    return job.ranks + job.servers <= len(machine.cores) and threads in ("", "1")


def handed_on(environment: Mapping[str, str]) -> dict[str, str]:
    """What ranks need from our environment wherever they run.

    Servers without a Python of their own find ours, for operators written in it, by VIRTUAL_ENV.
    """
    own = {} if sys.prefix == sys.base_prefix else {"VIRTUAL_ENV": sys.prefix}
    names = [name for name in environment if name.startswith("TAILRACE_") or name in ("OMP_NUM_THREADS", "VIRTUAL_ENV")]
    return own | {name: environment[name] for name in names}
