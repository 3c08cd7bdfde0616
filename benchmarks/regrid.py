#!/usr/bin/env python3
"""How close the rows of a regridding come to the bandwidth of the memory, and what set-up takes for many ranks."""

import sys

from support import jobs
from support.results import Results, arguments

CASES = {
    "float64_1": "float64, a map",
    "float64_1_missing": "float64, a map with missing values",
    "float64_32": "float64, 32 levels",
    "float64_32_missing": "float64, 32 levels with missing values",
    "float32_1": "float32, a map",
    "float32_1_missing": "float32, a map with missing values",
    "float32_32": "float32, 32 levels",
    "float32_32_missing": "float32, 32 levels with missing values",
}
# Times of STREAM's triad for as many bytes: half of its bandwidth.
HALF = 2.0
# The most that the lists of who needs what may take, of the values that they route in a day of hourly maps.
LISTS = 0.01
RECORDS = 24


def of_speed(results: Results, figures: dict[str, dict[str, float]]) -> None:
    for name, words in CASES.items():
        stream, one, two = (figures[key]["median"] for key in ("stream_by_1", f"{name}_by_1", f"{name}_by_2"))
        note = f"{2**20 / one:.1f} of {2**20 / stream:.1f} GB/s"
        results.add(f"rows of {words}", one / stream, "triads", HALF, note)
        results.add("by two threads", two / one, "of the time of one", 0.6)


def of_setup(results: Results, setups: list[list[str]]) -> list[dict[str, float]]:
    names = ("ranks", "needs", "routes", "rows", "lists", "cells")
    seen = [dict(zip(names, map(float, one), strict=True)) for one in setups]
    for one in seen:
        seconds = one["needs"] + one["routes"]
        note = f"{one['routes']:.4f} s to find who has them; rows take {one['rows'] / 2**20:.1f} MiB"
        results.add(f"{one['ranks']:.0f} ranks: cells that a server of 40 ranks needs", seconds, "s", 1.0, note)
        share = one["lists"] / (one["cells"] * 8 * RECORDS)
        results.add(f"lists of who sends them, of {RECORDS} maps", 100 * share, "%", 100 * LISTS)
    return seen


def main() -> None:
    asked = arguments(__doc__, rounds=9)
    results = Results("regrid")
    with jobs.folder() as here:
        done = jobs.run([jobs.program("regrid_speed"), asked.rounds], 1, here, pinned=False)
    figures = done.figures()
    of_speed(results, figures)
    results.details = {"figures": figures, "setup": of_setup(results, done.of("setup"))}
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
