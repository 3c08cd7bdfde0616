#!/usr/bin/env python3
"""How much longer the demo model runs with its standard output: one model rank and one server, a core each."""

import statistics
import sys
from contextlib import ExitStack
from pathlib import Path

from support import jobs
from support.results import Results, arguments
from support.turns import Turn, take_turns

BUBBLE = jobs.TREE / "examples" / "bubble"


def prepare(configuration: str, ranks: int, where: Path) -> Turn:
    (where / "demo.nml").write_text((BUBBLE / "demo.nml").read_text())
    (where / "demo.yaml").write_text(configuration)
    command = [jobs.program("processor_time"), jobs.BUILD / "examples/bubble/bubble", "demo.nml"]
    return Turn(command, ranks, where, begun="bubble:", ended="seconds")


def figures(turn: Turn, ranks: int) -> dict:
    """Seconds from before `start` to after `finish`, of processor time, and what the report says of the client."""
    done = turn.finish()
    run = {"wall": float(done.of("seconds")[0][0]) - turn.stopped}
    run["processor"] = next(float(seconds) for rank, seconds in done.of("processor") if rank == "0")
    run["checksum"] = next(line[1] for line in done.of("result") if line[0] == "checksum")
    return run | (done.report()["clients"][0] if ranks > 1 else {})


def one_round(configurations: dict[str, str], first: int) -> dict[str, dict]:
    names = list(configurations)
    ranks = {name: 1 if name == "off" else 2 for name in names}
    with ExitStack() as stack:
        turns = {}
        for name in names[first:] + names[:first]:
            where = stack.enter_context(jobs.folder())
            turns[name] = stack.enter_context(prepare(configurations[name], ranks[name], where))
        take_turns(list(turns.values()))
        return {name: figures(turns[name], ranks[name]) for name in names}


def replaced(text: str, old: str, new: str) -> str:
    if old not in text:
        raise SystemExit(f"demo.yaml does not say {old} any more")
    return text.replace(old, new)


def main() -> None:
    asked = arguments(__doc__, rounds=6)
    standard = (BUBBLE / "demo.yaml").read_text()
    configurations = {
        "off": replaced(standard, "mode: dedicated", "mode: off"),
        "standard": standard,
        "every step": replaced(standard, "state:   {every: 4 steps", "state:   {every: 1 step"),
    }
    runs: dict[str, list[dict]] = {name: [] for name in configurations}
    for number in range(asked.rounds):
        for name, run in one_round(configurations, number % len(configurations)).items():
            runs[name].append(run)
        times = ", ".join(f"{name} {of[-1]['wall']:.2f} s" for name, of in runs.items())
        print(f"round {number + 1}: {times}", flush=True)
    if len({run["checksum"] for of in runs.values() for run in of}) != 1:
        raise SystemExit("the runs did not compute the same")

    def longer(name: str, what: str) -> float:
        rounds = zip(runs[name], runs["off"], strict=True)
        return 100 * (statistics.median(one[what] / other[what] for one, other in rounds) - 1)

    def spread(name: str) -> str:
        walls = [run["wall"] for run in runs[name]]
        return f"{min(walls):.2f} to {max(walls):.2f} s"

    results = Results("overhead")
    with_output = runs["standard"]
    results.add(
        "longer with output",
        longer("standard", "wall"),
        "%",
        2.0,
        f"{spread('off')} without, {spread('standard')} with",
    )
    results.add("more processor time of the model", longer("standard", "processor"), "%")
    # A stop in the middle of a call counts as the call's time, so the run that has none of them tells.
    calls = min(100 * (run["step_seconds"] + run["put_seconds"]) / run["wall"] for run in with_output)
    results.add("inside step and put", calls, "% of the run")
    results.add("waiting for room", statistics.median(run["stall_seconds"] for run in with_output), "s", 0)
    results.add("inside ready", 1e3 * statistics.median(run["ready_seconds"] for run in with_output), "ms")
    results.add(
        "longer with all 3-D fields at every step", longer("every step", "wall"), "%", None, spread("every step")
    )
    results.details = runs
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
