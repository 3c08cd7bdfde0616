#!/usr/bin/env python3
"""Measures what it costs the example sedimentation to write all its tracers at each step, in five ways: through
Tailrace's servers, linked in or through YAC, with netCDF by rank 0, and with PnetCDF by all ranks, compared with a run
without output.

The ways take turns, round by round, and each round begins with another one. The time loop of each is compared with that
of the run without output in the same round; the table has the median over the rounds, and besides it the time until all
is in the file, and the shortest time that the model spent in its calls of output, which other processes disturb least.
The model has the same cores in all ways; a server has one more, which is idle in the ways without a server: the first
line says so. Ways that are not built are left out with a line. No round begins that would end later than `minutes`
after the start, as far as the longest one before tells."""

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from support import jobs
from support.results import Results, arguments

EXAMPLE = jobs.TREE / "examples" / "sedimentation"
PROGRAMS = jobs.BUILD / "examples" / "sedimentation"
START = "2026-01-01T00:00:00"


@dataclass(frozen=True)
class Way:
    name: str
    title: str
    servers: tuple[str, ...] = ()  # the command of a server beside the model; none: the last rank of the program serves
    has_server: bool = False


WAYS = (
    Way("none", "without output"),
    Way("tailrace", "Tailrace, linked", has_server=True),
    Way("yac", "Tailrace through YAC", ("tailrace", "serve", "--yac", "coupling.yaml", "coupled.yaml"), True),
    Way("netcdf", "netCDF by rank 0"),
    Way("pnetcdf", "PnetCDF by all ranks"),
)


def is_built(way: Way) -> bool:
    if not (PROGRAMS / f"sedimentation_{way.name}").exists():
        print(f"{way.title}: sedimentation_{way.name} is not built; it is left out")
        return False
    if way.servers:
        known = subprocess.run(["tailrace", "serve", "--help"], capture_output=True, text=True, check=False)
        if "--yac" not in known.stdout:
            print(f"{way.title}: there is no `tailrace serve --yac` on the PATH; it is left out")
            return False
    return True


def lay_out(where: Path, steps: int, substeps: int) -> None:
    """The mesh of the coupled run is that of a file of an earlier one."""
    (where / "run.nml").write_text(f"&sedimentation steps = {steps}, substeps = {substeps} /\n")
    for name in ("sedimentation.yaml", "coupled.yaml"):
        (where / name).write_text((EXAMPLE / name).read_text())
    text = (EXAMPLE / "coupling.yaml").read_text()
    end = f"end_date: 2026-01-{1 + steps // 48:02}T{steps % 48 // 2:02}:{30 * (steps % 2):02}:00"
    if "end_date: 2026-01-01T12:00:00" not in text:
        raise SystemExit("coupling.yaml does not end at 12:00 any more")
    (where / "coupling.yaml").write_text(text.replace("end_date: 2026-01-01T12:00:00", end))


def make_mesh(where: Path) -> None:
    lay_out(where, 1, 1)
    jobs.run([PROGRAMS / "sedimentation_tailrace", "run.nml"], 2, where)
    (where / "sedimentation.nc").rename(where / "mesh.nc")


def command_of(way: Way, ranks: int) -> list[str]:
    """The model's ranks on the first cores, and a server on the next one, or beside the last."""
    program = [PROGRAMS / f"sedimentation_{way.name}", "run.nml"]
    if not way.servers:
        return jobs.command_line(program, ranks + way.has_server)
    line = jobs.command_line(program, ranks + 1)
    return [*line[: len(line) - len(program)], *way.servers]


def told_cores(ranks: int) -> str:
    cores = sorted(os.sched_getaffinity(0))
    line = f"{len(cores)} cores may be used; the model has {min(ranks, len(cores))} of them for {ranks} rank(s)"
    if ranks < len(cores):
        return f"{line}; the server, where there is one, has core {cores[ranks]} for itself"
    return f"{line}; the server, where there is one, shares core {cores[-1]} with the last rank, so it cannot be hidden"


def one_run(where: Path, way: Way, ranks: int) -> dict[str, float]:
    line = command_of(way, ranks)
    ran = subprocess.run(line, cwd=where, capture_output=True, text=True, timeout=600, check=False)
    done = jobs.done(line, ran.returncode, ran.stdout, ran.stderr, where)
    (where / "sedimentation.nc").unlink(missing_ok=True)
    figures = dict(done.of("result"))
    if figures.pop("way") != way.name:
        raise SystemExit(f"sedimentation_{way.name} writes in another way")
    return {name: float(value) for name, value in figures.items()}


def add_rows(results: Results, ways: list[Way], runs: dict[str, list[dict[str, float]]]) -> None:
    for way in ways:
        loop = statistics.median(run["loop_seconds"] for run in runs[way.name])
        whole = statistics.median(run["loop_seconds"] + run["end_seconds"] for run in runs[way.name])
        pairs = zip(runs[way.name], runs["none"], strict=True)
        longer = 100 * (statistics.median(run["loop_seconds"] / none["loop_seconds"] for run, none in pairs) - 1)
        inside = min(run["output_seconds"] for run in runs[way.name])
        note = f"time loop {loop:.2f} s, in the file after {whole:.2f} s; at least {inside:.3f} s in calls of output"
        results.add(f"time loop longer: {way.title}", longer, "%", 2.0 if way.has_server else None, note)


def main() -> None:
    begin = time.monotonic()
    asked = arguments(__doc__, rounds=5, steps=12, substeps=20, ranks=1, minutes=8.0)
    cores = told_cores(asked.ranks)
    print(cores, flush=True)
    ways = [way for way in WAYS if is_built(way)]
    if [way.name for way in ways][:2] != ["none", "tailrace"]:
        raise SystemExit(f"the example sedimentation is not built in {jobs.BUILD} (TAILRACE_BUILD)")
    runs: dict[str, list[dict[str, float]]] = {way.name: [] for way in ways}
    with jobs.folder() as where:
        make_mesh(where)
        lay_out(where, asked.steps, asked.substeps)
        longest = 0.0
        for number in range(asked.rounds):
            round_begin = time.monotonic()
            if number > 0 and round_begin + longest > begin + 60.0 * asked.minutes:
                print(f"{asked.minutes:g} minutes are over after {number} of {asked.rounds} rounds")
                break
            first = number % len(ways)
            for way in ways[first:] + ways[:first]:
                runs[way.name].append(one_run(where, way, asked.ranks))
            spent = ", ".join(f"{name} {of[-1]['loop_seconds']:.2f} s" for name, of in runs.items())
            print(f"round {number + 1}: {spent}", flush=True)
            longest = max(longest, time.monotonic() - round_begin)
    results = Results("sedimentation")
    results.details["cores"] = cores
    add_rows(results, ways, runs)
    results.details["runs"] = runs
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
