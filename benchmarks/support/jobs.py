"""Starts MPI jobs with each rank pinned to a core of its own, and reads their output."""

import json
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("TAILRACE_BUILD", TREE / "build" / "bench")).resolve()


def program(name: str) -> Path:
    return BUILD / "benchmarks" / "programs" / name


@contextmanager
def folder():
    """An empty temporary folder, which is removed afterwards."""
    path = Path(tempfile.mkdtemp(prefix="tailrace-benchmark-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@dataclass(frozen=True)
class Done:
    lines: list[list[str]]
    folder: Path

    def of(self, word: str) -> list[list[str]]:
        """The rest of the lines that begin with a word."""
        return [line[1:] for line in self.lines if line and line[0] == word]

    def figures(self) -> dict[str, dict[str, float]]:
        """The lines `figure NAME MEDIAN TENTH NINE_TENTHS COUNT`, in nanoseconds."""
        names = ("median", "tenth", "nine_tenths", "count")
        return {line[0]: dict(zip(names, map(float, line[1:]), strict=True)) for line in self.of("figure")}

    def report(self) -> dict:
        return json.loads((self.folder / "tailrace_report" / "report.json").read_text())


def launcher() -> list[str]:
    as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return ["mpirun", "--bind-to", "none", "--oversubscribe", *as_root]


def free_line(command: list, ranks: int) -> list[str]:
    """On whatever cores the system gives them."""
    return [*launcher(), "-n", str(ranks), *map(str, command)]


def command_line(command: list, ranks: int, servers_apart: bool = False) -> list[str]:
    """Rank i on the i-th core that may be used; ranks beyond the cores share the last one, or, `servers_apart`, the
    last rank has the last core and the ranks beyond share the one before it."""
    cores = sorted(os.sched_getaffinity(0))
    line = launcher()
    for rank in range(ranks):
        shared = len(cores) - 2 if servers_apart and rank < ranks - 1 else len(cores) - 1
        core = cores[max(0, min(rank, shared))]
        line += [":"] * (rank > 0) + ["-n", "1", "taskset", "-c", str(core), *map(str, command)]
    return line


def done(line: list[str], status: int, output: str, errors: str, where: Path) -> Done:
    if status:
        raise SystemExit(f"{' '.join(line)}\nended with status {status}:\n{output}{errors}")
    return Done([text.split() for text in output.splitlines()], where)


def run(
    command: list, ranks: int, where: Path, timeout: float = 600, servers_apart: bool = False, pinned: bool = True
) -> Done:
    line = command_line(command, ranks, servers_apart) if pinned else free_line(command, ranks)
    ran = subprocess.run(line, cwd=where, capture_output=True, text=True, timeout=timeout)
    return done(line, ran.returncode, ran.stdout, ran.stderr, where)
