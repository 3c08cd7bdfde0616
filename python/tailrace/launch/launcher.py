"""The MPI launcher that is here, and its kind."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

OPEN_MPI, HYDRA, OTHER = "Open MPI", "MPICH", "other"  # Intel MPI starts its jobs with Hydra too


class LaunchError(Exception):
    """The job cannot be started; the message names the remedy."""


@dataclass(frozen=True)
class Launcher:
    kind: str
    command: tuple[str, ...]  # mpirun and the options that the user gave with it


def detect(mpirun: str | None = None) -> Launcher:
    """The launcher: the one given (with options, as in a shell), else mpirun or mpiexec of the PATH."""
    words = _words(mpirun) if mpirun is not None else []
    program = shutil.which(words[0]) if words else shutil.which("mpirun") or shutil.which("mpiexec")
    if not program:
        raise LaunchError(_not_found(words[0] if words else None))
    try:
        answer = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=30)
        output = answer.stdout + answer.stderr
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LaunchError(f"{program} --version did not answer: {error}") from None
    return Launcher(kind_of(output), (program, *words[1:]))


def stop_signal(launcher: Launcher) -> signal.Signals:
    """The signal that the launcher passes on to all ranks, on all nodes, and leaves at that.

    Open MPI's mpirun and srun pass SIGUSR2 on; they kill the ranks after SIGTERM. Hydra passes SIGTERM on, and dies of
    SIGUSR2. Others are taken to pass on SIGTERM.
    """
    is_srun = Path(launcher.command[0]).name == "srun"
    return signal.SIGUSR2 if launcher.kind == OPEN_MPI or is_srun else signal.SIGTERM


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
