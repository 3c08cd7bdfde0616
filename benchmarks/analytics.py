#!/usr/bin/env python3
"""What sums with the same bits in any order cost, and how close programs come to the bandwidth of the memory."""

import sys

from support import jobs
from support.results import Results, arguments

# Times of what a plain sum of the same bytes takes: a level's exact sum, and 60 % and 40 % of the bandwidth.
EXACT = {"portable": None, "avx2": 3.0, "avx512": 2.2}
EXTREMES, SUMS = 1 / 0.6, 1 / 0.4
EXPRESSIONS = {
    "max(u)": EXTREMES,
    "min(u-300)": EXTREMES,
    "max(u*u+v*v)": EXTREMES,
    "max(sqrt(u*u+v*v+w*w))": EXTREMES,
    "max(w*sqrt(u*u+v*v))": None,  # a root of each cell
    "sum(u)": SUMS,
    "sum(u*w)": SUMS,
    "sum(u*w,y,x)": SUMS,
    "sum(u*w,z,y)": SUMS,
    "sum(u*u+v*v)": SUMS,
}
# Nanoseconds a call.
SMALL = {
    "add_1": 60,
    "add_10": 60,
    "add_1000": None,
    "add_each_33": 33 * 6,
    "add_each_1000": 1000 * 6,
    "merge": None,
    "result": None,
}


def main() -> None:
    asked = arguments(__doc__, rounds=15, mebibytes=128)
    results = Results("analytics")
    with jobs.folder() as here:
        done = jobs.run([jobs.program("throughput"), asked.rounds, asked.mebibytes], 1, here)
    figures = done.figures()
    (level,) = done.of("level")

    def speed(name: str) -> str:
        return f"{2**20 / figures[name]['median']:.1f} GB/s"

    for name, bound in EXACT.items():
        if f"exact_{name}" in figures:
            ratio = figures[f"exact_{name}"]["median"] / figures[f"plain_{name}"]["median"]
            note = f"{speed(f'exact_{name}')} to {speed(f'plain_{name}')}"
            results.add(f"exact sum of a field, {name}", ratio, "plain sums", bound, note)
    for name, bound in EXPRESSIONS.items():
        ratio = figures[name]["median"] / figures["stream"]["median"]
        what = f"{name}, {level[0]}"
        results.add(what, ratio, "plain sums", bound, f"{100 / ratio:.0f} % of the bandwidth, {speed(name)}")
    for name, bound in SMALL.items():
        results.add(f"ExactSums, {name}", figures[f"small_{name}"]["median"], "ns", bound)
    results.details = {"figures": figures}
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
