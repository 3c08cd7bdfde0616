#!/usr/bin/env python3
"""How much longer the demo model runs with its standard output: one model rank and one server, a core each."""

import statistics
import sys
import time

from support import jobs
from support.results import Results, arguments

BUBBLE = jobs.TREE / "examples" / "bubble"


def one_run(configuration: str, ranks: int) -> tuple[float, dict | None]:
    """Seconds of the whole job, and its report."""
    with jobs.folder() as here:
        (here / "demo.nml").write_text((BUBBLE / "demo.nml").read_text())
        (here / "demo.yaml").write_text(configuration)
        begin = time.perf_counter()
        done = jobs.run([jobs.BUILD / "examples" / "bubble" / "bubble", "demo.nml"], ranks, here)
        seconds = time.perf_counter() - begin
        return seconds, done.report() if ranks > 1 else None


def main() -> None:
    asked = arguments(__doc__, pairs=7)
    on = (BUBBLE / "demo.yaml").read_text()
    off = on.replace("mode: dedicated", "mode: off")
    if on == off:
        raise SystemExit("demo.yaml does not say mode: dedicated any more")
    with_output, without, reports = [], [], []
    for pair in range(asked.pairs):
        for mode in ("on", "off") if pair % 2 else ("off", "on"):
            seconds, report = one_run(on if mode == "on" else off, 2 if mode == "on" else 1)
            (with_output if mode == "on" else without).append(seconds)
            if report:
                reports.append(report)
        print(f"pair {pair + 1}: {with_output[-1]:.2f} s with output, {without[-1]:.2f} s without", flush=True)

    def longer(pick) -> float:
        return 100 * (pick(with_output) / pick(without) - 1)

    client = [report["clients"][0] for report in reports]
    results = Results("overhead")
    spread = (
        f"{min(without):.2f} to {max(without):.2f} s without, {min(with_output):.2f} to {max(with_output):.2f} s with"
    )
    results.add("longer with output, medians", longer(statistics.median), "%", None, spread)
    results.add("longer with output, shortest runs", longer(min), "%", 2.0)
    inside = statistics.median(100 * (c["step_seconds"] + c["put_seconds"]) / c["run_seconds"] for c in client)
    results.add("time inside step and put", inside, "% of the loop")
    results.add("waiting for room", statistics.median(c["stall_seconds"] for c in client), "s", 0)
    results.add("inside ready", statistics.median(1e3 * c["ready_seconds"] for c in client), "ms")
    results.add("inside finish", statistics.median(1e3 * c["finish_seconds"] for c in client), "ms")
    results.details = {"seconds_with_output": with_output, "seconds_without": without}
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
