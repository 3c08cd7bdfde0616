#!/usr/bin/env python3
"""How much longer the demo model runs with its standard output: one model rank and one server, a core each."""

import statistics
import sys

from support import jobs
from support.results import Results, arguments

BUBBLE = jobs.TREE / "examples" / "bubble"


def one_run(configuration: str, ranks: int) -> dict:
    """Seconds from before `start` to after `finish`, of processor time, and what the report says of the client."""
    with jobs.folder() as here:
        (here / "demo.nml").write_text((BUBBLE / "demo.nml").read_text())
        (here / "demo.yaml").write_text(configuration)
        done = jobs.run(
            [jobs.program("processor_time"), jobs.BUILD / "examples/bubble/bubble", "demo.nml"], ranks, here
        )
        run = {"wall": float(done.of("seconds")[0][0])}
        run["processor"] = next(float(seconds) for rank, seconds in done.of("processor") if rank == "0")
        run["checksum"] = next(line[1] for line in done.of("result") if line[0] == "checksum")
        return run | (done.report()["clients"][0] if ranks > 1 else {})


def main() -> None:
    asked = arguments(__doc__, pairs=13)
    on = (BUBBLE / "demo.yaml").read_text()
    off = on.replace("mode: dedicated", "mode: off")
    if on == off:
        raise SystemExit("demo.yaml does not say mode: dedicated any more")
    with_output, without = [], []
    for pair in range(asked.pairs):
        for output in (True, False) if pair % 2 else (False, True):
            (with_output if output else without).append(one_run(on if output else off, 2 if output else 1))
        times = [
            f"{run['wall']:.2f} s ({run['processor']:.2f} s of the core)" for run in (with_output[-1], without[-1])
        ]
        print(f"pair {pair + 1}: {times[0]} with output, {times[1]} without", flush=True)
    if len({run["checksum"] for run in with_output + without}) != 1:
        raise SystemExit("the runs did not compute the same")

    def longer(what: str, pick) -> float:
        return 100 * (pick(run[what] for run in with_output) / pick(run[what] for run in without) - 1)

    def median(what) -> float:
        return statistics.median(what(run) for run in with_output)

    def spread(runs: list[dict]) -> str:
        return f"{min(run['wall'] for run in runs):.2f} to {max(run['wall'] for run in runs):.2f} s"

    results = Results("overhead")
    note = f"{spread(without)} without, {spread(with_output)} with"
    results.add("longer with output: shortest runs", longer("wall", min), "%", 2.0, note)
    results.add("longer with output: medians", longer("wall", statistics.median), "%")
    results.add("more processor time of the model: least", longer("processor", min), "%")
    results.add("more processor time of the model: medians", longer("processor", statistics.median), "%")
    calls = median(lambda run: 100 * (run["step_seconds"] + run["put_seconds"]) / run["run_seconds"])
    results.add("inside step and put", calls, "% of the time loop")
    results.add("waiting for room", median(lambda run: run["stall_seconds"]), "s", 0)
    results.add("inside ready", 1e3 * median(lambda run: run["ready_seconds"]), "ms")
    results.details = {"with_output": with_output, "without": without}
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
