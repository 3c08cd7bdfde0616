#!/usr/bin/env python3
"""How much longer the demo model runs with its standard output: one model rank and one server, a core each.

All runs do the same steps, and take turns on the cores. A step counts with the median of its times in all rounds, and
so do what comes before the first step (with `start` and `ready`) and what comes after the last (with `finish`). What
others do on the machine makes single steps longer, and leaves hardly a trace in the medians; what Tailrace does comes
again in every round. A step in which the run stood still does not count."""

import itertools
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
    times = f"LD_PRELOAD={jobs.program('call_times.so')}"
    command = ["/usr/bin/env", times, jobs.BUILD / "examples/bubble/bubble", "demo.nml"]
    return Turn(command, ranks, where, begun="bubble:", ended="seconds")


def stretches(turn: Turn, where: Path) -> tuple[list[float], list[bool]]:
    """Seconds from the begin of `start` to the first step, from step to step, and to the end of `finish`, without those
    for which the run stood still; and of each, whether it did not."""
    moments = [float(line) for line in (where / "call_times").read_text().split()]
    pairs = list(itertools.pairwise(moments))
    times = [end - begin - turn.stood_still(begin, end) for begin, end in pairs]
    return times, [turn.ran_through(begin, end) for begin, end in pairs]


def typical(runs: list[dict]) -> float:
    """Seconds of a run in which each stretch takes the median of those that were not cut, or of all where all were."""
    times = list(zip(*(run["times"] for run in runs), strict=True))
    whole = list(zip(*(run["whole"] for run in runs), strict=True))
    kept = ([time for time, uncut in zip(*both, strict=True) if uncut] for both in zip(times, whole, strict=True))
    return sum(statistics.median(some or of) for some, of in zip(kept, times, strict=True))


def figures(turn: Turn, ranks: int) -> dict:
    """The stretches of a run, their sum, and what the report says of the client."""
    done = turn.finish()
    times, whole = stretches(turn, done.folder)
    run = {"wall": sum(times), "times": times, "whole": whole}
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
    asked = arguments(__doc__, rounds=12)
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

    def longer(name: str) -> float:
        return 100 * (typical(runs[name]) / typical(runs["off"]) - 1)

    def said(name: str) -> str:
        walls = [run["wall"] for run in runs[name]]
        return f"{typical(runs[name]):.2f} s, single runs {min(walls):.2f} to {max(walls):.2f} s"

    results = Results("overhead")
    with_output = runs["standard"]
    results.add("longer with output", longer("standard"), "%", 2.0, f"{said('standard')}; without: {said('off')}")
    mean = statistics.mean(run["wall"] / off["wall"] for run, off in zip(with_output, runs["off"], strict=True))
    results.add("the same from the sums of single runs", 100 * (mean - 1), "%", None, "with what others do")
    # A stop in the middle of a call counts as the call's time, so the run that has none of them tells.
    calls = min(100 * (run["step_seconds"] + run["put_seconds"]) / run["wall"] for run in with_output)
    results.add("inside step and put", calls, "% of the run")
    results.add("waiting for room", statistics.median(run["stall_seconds"] for run in with_output), "s", 0)
    results.add("inside ready", 1e3 * statistics.median(run["ready_seconds"] for run in with_output), "ms")
    results.add("longer with all 3-D fields at every step", longer("every step"), "%", None, said("every step"))
    kept = [key for key in with_output[0] if key not in ("times", "whole")]
    results.details = {name: [{key: run[key] for key in kept if key in run} for run in of] for name, of in runs.items()}
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
