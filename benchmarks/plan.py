#!/usr/bin/env python3
"""Compares what `tailrace plan` predicts with real runs on this machine: three models, 1 to 8 ranks, 1 to 3 servers,
compressed or not, and with a slow disk.

Each model and way of output first has a short run with one rank and one server, whose report is all that a prediction
gets besides the figures of the machine, which are measured at the start. Then each run is predicted and made. The table
has the median and the largest error of the time to solution, and in how many groups of runs that differ in the number
of servers alone the choice of `plan` was the best, or at most 5 % slower than the best. No run begins that would end
later than `minutes` after the start, as far as the longest one before tells."""

import json
import math
import os
import statistics
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from support import jobs
from support.results import Results, arguments
from tailrace.sizing.commands import Request, size
from tailrace.sizing.measure import measure
from tailrace.sizing.predict import Prediction

SLOW_MS = 15  # that each write of a slow file waits
EXAMPLES = jobs.TREE / "examples"
NEAR = 1.05  # of the time of the best number of servers: as good as it


@dataclass(frozen=True)
class Model:
    """`program`: by the number of ranks. `fields`: written at each `every`. The calibrating run is shorter."""

    name: str
    fields: str
    every: str
    rows: int = 0  # of hoard's plane

    def command(self, ranks: int, scale: float) -> list:
        if self.name == "bubble":
            return [jobs.BUILD / "examples/bubble/bubble", "run.nml"]
        if self.name == "sedimentation":
            return [jobs.BUILD / "examples/sedimentation/sedimentation_tailrace", "run.nml"]
        steps = max(8, int(60 * scale))
        return [jobs.program("hoard"), "run.yaml", steps, 4, self.rows // ranks, 512, "together"]

    def namelist(self, scale: float) -> str:
        if self.name == "bubble":
            return (
                "&bubble case = 'density_current', nx = 192, ny = 8, nz = 48, dx = 133, dy = 400, dz = 133, "
                f"t_end = 1e9, steps = {max(20, int(400 * scale))}, viscosity = 75, x_boundary = 'wall' /\n"
            )
        return f"&sedimentation steps = {max(4, int(24 * scale))}, configuration = 'run.yaml' /\n"

    def configuration(self, way: "Way", servers: int) -> str:
        names = "[" + self.fields + "]"
        compression = "zlib" if way.compressed else "none"
        lines = ["tailrace: 1", f"servers: {{mode: dedicated, count: {servers}, buffer: 32 MiB}}"]
        if self.name == "sedimentation":
            lines.append("model_time: {calendar: standard, start: 2026-01-01}")
        lines += [f"fields: {{state: {{every: 1 step, names: {names}}}}}", "output:"]
        each = self.fields.split(", ")
        for number in range(2):
            mine = [f"{{field: {name}, operation: snapshot, every: {self.every}}}" for name in each[number::2]]
            lines += [
                f"  {'slow' if way.slow else 'out'}_{number}.nc:",
                f"    write_every: {self.every}",
                f"    compression: {compression}",
                f"    variables: [{', '.join(mine)}]",
            ]
        return "\n".join(lines) + "\n"


MODELS = {
    "bubble": Model("bubble", "u, w, theta", "2 steps"),
    "hoard": Model("hoard", "f0, f1, f2, f3", "1 step", rows=1024),
    "sedimentation": Model("sedimentation", "O3, CO, SO2, NO2, HNO3, NH3", "1 step"),
}


@dataclass(frozen=True)
class Way:
    compressed: bool = False
    slow: bool = False

    def __str__(self) -> str:
        return "slow disk" if self.slow else "compressed" if self.compressed else "plain"


PLAIN, SMALL, SLOW = Way(), Way(compressed=True), Way(slow=True)


@dataclass(frozen=True)
class Group:
    """Runs that differ in the number of servers."""

    model: str
    way: Way
    ranks: int
    servers: tuple[int, ...]


GROUPS = (
    Group("bubble", PLAIN, 1, (1,)),
    Group("bubble", PLAIN, 4, (1, 2)),
    Group("bubble", SMALL, 2, (1, 2)),
    Group("hoard", PLAIN, 2, (1, 2)),
    Group("hoard", SMALL, 1, (1,)),
    Group("hoard", SMALL, 4, (1, 2, 3)),
    Group("hoard", SLOW, 2, (1, 2)),
    Group("hoard", SLOW, 8, (1, 3)),
    Group("sedimentation", PLAIN, 1, (1,)),
    Group("sedimentation", PLAIN, 2, (1, 2)),
    Group("sedimentation", SMALL, 4, (1, 2)),
)


@dataclass
class Clock:
    end: float
    longest: float = 0.0
    left_out: list[str] = field(default_factory=list)

    def has_room(self, name: str) -> bool:
        if time.monotonic() + 1.2 * self.longest < self.end:
            return True
        self.left_out.append(name)
        return False


def play(model: Model, way: Way, ranks: int, servers: int, where: Path, scale: float, clock: Clock) -> dict:
    """A run in the folder; its report."""
    where.mkdir(parents=True)
    (where / "run.nml").write_text(model.namelist(scale))
    (where / "run.yaml").write_text(model.configuration(way, servers))
    slow = {"LD_PRELOAD": str(jobs.program("slow_file.so")), "SLOW_FILE_MS": str(SLOW_MS)} if way.slow else {}
    words = [f"{name}={value}" for name, value in slow.items()]
    command = ["/usr/bin/env", *words, *model.command(ranks, scale)]
    begin = time.monotonic()
    done = jobs.run(command, ranks + servers, where, pinned=False)
    clock.longest = max(clock.longest, time.monotonic() - begin)
    return done.report()


def seconds_of(report: dict) -> float:
    """The time to solution, as `plan` counts it."""
    return max(c["ready_seconds"] + c["run_seconds"] + c["finish_seconds"] for c in report["clients"])


def predicted(
    model: Model, group: Group, folder: Path, machine: Path, steps: int, servers: int, by_twin: bool
) -> Prediction:
    report = folder / f"{model.name} {group.way}".replace(" ", "_") / "tailrace_report"
    config = folder / "planned.yaml"
    config.write_text(model.configuration(group.way, 1))
    (declared,) = report.glob("declared.*.json")
    length = steps * model_step(report)
    request = Request(
        config, declared, machine, group.ranks, [report], length=length, nodes=1, most=servers, twin=by_twin
    )
    return size(request).predictions[servers - 1]


def model_step(report: Path) -> float:
    client = json.loads((report / "report.json").read_text())["clients"][0]
    return client["model_time"] / client["steps"]


def main() -> None:
    asked = arguments(__doc__, minutes=8.0, scale=1.0, only="")
    clock = Clock(time.monotonic() + 60.0 * asked.minutes)
    results = Results("plan")
    rows: list[dict] = []
    with jobs.folder() as folder:
        machine = folder / "machine.yaml"
        measure(machine, folder, size=256 << 20, mpirun=" ".join(jobs.launcher()), force=False, say=print)
        groups = [group for group in GROUPS if asked.only in f"{group.model} {group.way}"]
        for key in dict.fromkeys((group.model, group.way) for group in groups):
            name = f"{key[0]} {key[1]}"
            play(MODELS[key[0]], key[1], 1, 1, folder / name.replace(" ", "_"), 0.4 * asked.scale, clock)
        for group in groups:
            rows += compare(group, folder, machine, asked.scale, clock)
    add_figures(results, rows, clock)
    results.details["runs"] = rows
    results.finish(asked.json)


def compare(group: Group, folder: Path, machine: Path, scale: float, clock: Clock) -> list[dict]:
    model, rows = MODELS[group.model], []
    for servers in group.servers:
        name = f"{group.model}, {group.way}, {group.ranks} ranks, {servers} servers"
        if not clock.has_room(name):
            continue
        load = os.getloadavg()[0]
        report = play(model, group.way, group.ranks, servers, folder / name.replace(" ", "_"), scale, clock)
        steps = report["clients"][0]["steps"]
        one, twin = (predicted(model, group, folder, machine, steps, servers, by_twin) for by_twin in (False, True))
        measured = seconds_of(report)
        stall = max(client["stall_seconds"] for client in report["clients"])
        rows.append(
            {
                "group": f"{group.model}, {group.way}, {group.ranks} ranks",
                "servers": servers,
                "predicted_seconds": one.seconds,
                "measured_seconds": measured,
                "error": one.seconds / measured - 1.0,
                "error_of_twin": twin.seconds / measured - 1.0,
                "limit": one.limit,
                "predicted_stall_seconds": one.stall_seconds,
                "measured_stall_seconds": stall,
                "predicted_lag_seconds": one.lag_seconds,
                "measured_lag_seconds": report["totals"]["mean_lag_seconds"],
                "load": load,
            }
        )
        row = rows[-1]
        print(
            f"{name}: {one.seconds:.2f} s predicted (+/- {100 * one.error:.0f} %, {one.limit}), "
            f"{measured:.2f} s measured: {100 * row['error']:+.0f} %, twin {100 * row['error_of_twin']:+.0f} %; "
            f"stall {one.stall_seconds:.2f} and {stall:.2f} s; load {load:.1f}",
            flush=True,
        )
    return rows


def add_figures(results: Results, rows: list[dict], clock: Clock) -> None:
    if not rows:
        raise SystemExit("no run was made")
    errors = [100 * abs(row["error"]) for row in rows]
    results.add("runs", len(rows), "", None, f"left out for time: {len(clock.left_out)}" if clock.left_out else "")
    results.add("median error of the time to solution", statistics.median(errors), "%", 10.0)
    results.add("largest error", max(errors), "%", 25.0)
    twins = [100 * abs(row["error_of_twin"]) for row in rows]
    results.add("median error of the twin", statistics.median(twins), "%", 15.0, f"at most {max(twins):.0f} %")
    right = tried = 0
    for name in dict.fromkeys(row["group"] for row in rows):
        group = [row for row in rows if row["group"] == name]
        if len(group) < 2:
            continue
        tried += 1
        chosen = min(
            group, key=lambda row: (round(math.log(row["predicted_seconds"]) / math.log(1.02)), row["servers"])
        )
        right += chosen["measured_seconds"] <= NEAR * min(row["measured_seconds"] for row in group)
    if tried:
        results.add("wrong choices of the number of servers", tried - right, "groups", 0.1 * tried, f"of {tried}")


if __name__ == "__main__":
    sys.exit(main())
