"""From "so many model ranks, so many servers" to a command line for a launcher. Pure functions."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tailrace.launch.launcher import HYDRA, OPEN_MPI, OTHER, Launcher, LaunchError
from tailrace.launch.machine import Machine

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


@dataclass(frozen=True)
class Job:
    ranks: int
    program: tuple[str, ...]
    servers: int = 0  # ranks of their own program; 0: those of the configuration, out of `ranks`
    server_program: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


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
    given = {word.lstrip("-").split("=")[0] for word in launcher.command[1:] if word.startswith("-")}
    total = job.ranks + job.servers
    placed = machine.batch or bool(given & BINDING_WORDS)
    if launcher.kind == OPEN_MPI:
        if machine.is_root and "allow-run-as-root" not in given:
            options.append("--allow-run-as-root")
        if not placed and total > len(machine.cores) and "oversubscribe" not in given:
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
    """The variables that ranks need from our environment wherever they run.

    Servers without a Python of their own find ours, for operators written in it, by VIRTUAL_ENV.
    """
    own = {} if sys.prefix == sys.base_prefix else {"VIRTUAL_ENV": sys.prefix}
    names = [name for name in environment if name.startswith("TAILRACE_") or name in ("OMP_NUM_THREADS", "VIRTUAL_ENV")]
    return own | {name: environment[name] for name in names}
