#!/usr/bin/env python3
"""How much longer the demo model runs with its standard output: one model rank and one server, a core each."""

import statistics
import sys
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


def one_pair(on: str, off: str, output_first: bool) -> tuple[dict, dict]:
    with (
        jobs.folder() as here,
        jobs.folder() as there,
        prepare(on, 2, here) as with_output,
        prepare(off, 1, there) as without,
    ):
        take_turns([with_output, without] if output_first else [without, with_output])
        return figures(with_output, 2), figures(without, 1)


def main() -> None:
    asked = arguments(__doc__, pairs=7)
    on = (BUBBLE / "demo.yaml").read_text()
    off = on.replace("mode: dedicated", "mode: off")
    if on == off:
        raise SystemExit("demo.yaml does not say mode: dedicated any more")
    with_output, without = [], []
    for pair in range(asked.pairs):
        for runs, run in zip((with_output, without), one_pair(on, off, pair % 2 == 0), strict=True):
            runs.append(run)
        times = [
            f"{run['wall']:.2f} s ({run['processor']:.2f} s of the core)" for run in (with_output[-1], without[-1])
        ]
        print(f"pair {pair + 1}: {times[0]} with output, {times[1]} without", flush=True)
    if len({run["checksum"] for run in with_output + without}) != 1:
        raise SystemExit("the runs did not compute the same")

    def longer(what: str) -> float:
        pairs = zip(with_output, without, strict=True)
        return 100 * (statistics.median(one[what] / other[what] for one, other in pairs) - 1)

    def spread(runs: list[dict]) -> str:
        return f"{min(run['wall'] for run in runs):.2f} to {max(run['wall'] for run in runs):.2f} s"

    results = Results("overhead")
    note = f"{spread(without)} without, {spread(with_output)} with"
    results.add("longer with output", longer("wall"), "%", 2.0, note)
    results.add("more processor time of the model", longer("processor"), "%")
    # A stop in the middle of a call counts as the call's time, so the run that has none of them tells.
    calls = min(100 * (run["step_seconds"] + run["put_seconds"]) / run["wall"] for run in with_output)
    results.add("inside step and put", calls, "% of the run")
    results.add("waiting for room", statistics.median(run["stall_seconds"] for run in with_output), "s", 0)
    results.add("inside ready", 1e3 * statistics.median(run["ready_seconds"] for run in with_output), "ms")
    results.details = {"with_output": with_output, "without": without}
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
