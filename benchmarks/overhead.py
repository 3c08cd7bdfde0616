#!/usr/bin/env python3
"""Measures how much longer the demo model runs with its standard output: one model rank and one server, a core each.

The extra cost of steps is measured inside runs that alternate blocks of steps with output and silent blocks, which
behave as with mode off. The time before the first step (with `start` and `ready`) and after the last one (with
`finish`) is compared with runs in mode off. These runs take turns on the cores with whole runs with output, in which
each step counts with its median time over all rounds. Whole runs have the same target: only they include the cost of a
server's presence, but they are less precise, because two equal runs differ.

Steps that are a fifth longer than fast ones are excluded from both, because another process shared the core. If output
itself made steps that long, the reported shares of the remaining steps and the sums of whole runs would show it."""

import itertools
import statistics
import sys
from contextlib import ExitStack
from pathlib import Path

from support import jobs
from support.blocks import extra_seconds, longest_own
from support.results import Results, arguments
from support.turns import Turn, take_turns

BUBBLE = jobs.TREE / "examples" / "bubble"
BLOCK = 60  # steps; 0.2 s, long enough for a server to finish earlier work
KINDS = 20  # demo.yaml samples every 1, 4 and 10 steps


def laid_out(configuration: str, where: Path, *settings: str) -> list:
    """The command that runs the demo there, in the environment with the settings."""
    (where / "demo.nml").write_text((BUBBLE / "demo.nml").read_text())
    (where / "demo.yaml").write_text(configuration)
    times = f"LD_PRELOAD={jobs.program('call_times.so')}"
    return ["/usr/bin/env", times, *settings, jobs.BUILD / "examples/bubble/bubble", "demo.nml"]


def prepare(configuration: str, ranks: int, where: Path) -> Turn:
    return Turn(laid_out(configuration, where), ranks, where, begun="bubble:", ended="seconds")


def between_calls(where: Path) -> list[tuple[float, float]]:
    """From the begin of `start` to the first step, from step to step, and to the end of `finish`."""
    return list(itertools.pairwise(float(line) for line in (where / "call_times").read_text().split()))


def with_silent_blocks(configuration: str) -> list[float]:
    """The times of the steps of a run, in seconds."""
    with jobs.folder() as where:
        done = jobs.run(laid_out(configuration, where, f"SILENT_BLOCKS={BLOCK}"), 2, where)
        steps = between_calls(where)[1:-1]
        if not 0.4 < done.report()["clients"][0]["steps"] / len(steps) < 0.6:
            raise SystemExit("Tailrace ought to hear of every other block of steps")
    return [end - begin for begin, end in steps]


def stretches(turn: Turn, where: Path) -> tuple[list[float], list[bool]]:
    """Seconds between calls, without those for which the run stood still; and of each, whether it did not."""
    pairs = between_calls(where)
    times = [end - begin - turn.stood_still(begin, end) for begin, end in pairs]
    return times, [turn.ran_through(begin, end) for begin, end in pairs]


def typical(runs: list[dict], limit: float) -> list[float | None]:
    """Seconds between calls, medians over the rounds: of a step of the times that were not cut and are no longer than
    `limit`, none where there is no such one; of begin and end of those not cut, or of all where all were."""
    last = len(runs[0]["times"]) - 1

    def median(stretch: int) -> float | None:
        times = [run["times"][stretch] for run in runs]
        uncut = [time for time, run in zip(times, runs, strict=True) if run["whole"][stretch]]
        if stretch in (0, last):
            return statistics.median(uncut or times)
        own = [time for time in uncut if time <= limit]
        return statistics.median(own) if own else None

    return [median(stretch) for stretch in range(last + 1)]


def own_share(runs: list[dict], limit: float) -> float:
    """Per cent of all steps."""
    times = [time for run in runs for time in run["times"][1:-1]]
    return 100 * sum(time <= limit for time in times) / len(times)


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


def measured(rounds: int) -> tuple[dict[str, list[dict]], list[list[float]]]:
    """The runs of each configuration, and the steps of runs with silent blocks."""
    standard = (BUBBLE / "demo.yaml").read_text()
    configurations = {
        "off": replaced(standard, "mode: dedicated", "mode: off"),
        "standard": standard,
        "every step": replaced(standard, "state:   {every: 4 steps", "state:   {every: 1 step"),
    }
    runs: dict[str, list[dict]] = {name: [] for name in configurations}
    alternating: list[list[float]] = []
    for number in range(rounds):
        for name, run in one_round(configurations, number % len(configurations)).items():
            runs[name].append(run)
        alternating.append(with_silent_blocks(standard))
        times = ", ".join(f"{name} {of[-1]['wall']:.2f} s" for name, of in runs.items())
        print(f"round {number + 1}: {times}; {1e6 * extra_of_steps(alternating[-1:]):.1f} us a step", flush=True)
    if len({run["checksum"] for of in runs.values() for run in of}) != 1:
        raise SystemExit("the runs did not compute the same")
    return runs, alternating


def extra_of_steps(alternating: list[list[float]]) -> float:
    """Seconds that a step takes longer with output."""
    return extra_seconds(alternating, BLOCK, KINDS)


def add_comparison(results: Results, runs: dict[str, list[dict]], alternating: list[list[float]]) -> None:
    limit = longest_own([time for run in runs["off"] for time in run["times"][1:-1]])
    stretch = {name: typical(of, limit) for name, of in runs.items()}
    step = statistics.fmean(time for time in stretch["off"][1:-1] if time is not None)
    steps = len(stretch["off"]) - 2
    ends = {name: (of[0], of[-1]) for name, of in stretch.items()}
    without = sum(ends["off"]) + steps * step
    of_step = extra_of_steps(alternating)
    single = [1e6 * extra_of_steps([times]) for times in alternating]
    at_begin, at_end = (ends["standard"][i] - ends["off"][i] for i in (0, 1))
    parts = f"{1e6 * of_step:.1f} us a step ({min(single):.1f} to {max(single):.1f} in single runs)"
    parts += f", {1e3 * at_begin:.0f} ms at the begin, {1e3 * at_end:.0f} ms at the end"
    longer = steps * of_step + at_begin + at_end
    results.add("longer with output, inside runs", 100 * longer / without, "%", 2.0, parts)

    def add_whole(what: str, name: str, at_most: float | None = None) -> None:
        both = [pair for pair in zip(stretch[name], stretch["off"], strict=True) if None not in pair]
        longer = sum(one for one, _ in both) / sum(off for _, off in both) - 1
        own = f"{own_share(runs[name], limit):.0f} % of its steps had the core for themselves"
        results.add(what, 100 * longer, "%", at_most, f"{own}, {own_share(runs['off'], limit):.0f} % without")

    add_whole("longer with output, whole runs", "standard", 2.0)
    sums = statistics.mean(run["wall"] / off["wall"] for run, off in zip(runs["standard"], runs["off"], strict=True))
    results.add("the same from the sums of whole runs", 100 * (sums - 1), "%", None, "with what others do")
    add_whole("all 3-D fields at every step, whole runs", "every step")


def main() -> None:
    asked = arguments(__doc__, rounds=8)
    runs, alternating = measured(asked.rounds)
    results = Results("overhead")
    add_comparison(results, runs, alternating)
    with_output = runs["standard"]
    # A stop in the middle of a call counts as the call's time, so the run that has none of them tells.
    calls = min(100 * (run["step_seconds"] + run["put_seconds"]) / run["wall"] for run in with_output)
    results.add("inside step and put", calls, "% of the run")
    results.add("waiting for room", statistics.median(run["stall_seconds"] for run in with_output), "s", 0)
    results.add("inside ready", 1e3 * statistics.median(run["ready_seconds"] for run in with_output), "ms")
    kept = [key for key in with_output[0] if key not in ("times", "whole")]
    results.details = {name: [{key: run[key] for key in kept if key in run} for run in of] for name, of in runs.items()}
    results.details["extra_of_a_step"] = [extra_of_steps([times]) for times in alternating]
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
