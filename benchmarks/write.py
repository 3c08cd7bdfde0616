#!/usr/bin/env python3
"""How long it takes until all is on its way to the disk: a model that computes nothing, beside others that write the
same. The contenders take turns, so that what the disk and the neighbours do meets all of them alike."""

import os
import sys
from statistics import median

from support import jobs
from support.results import Results, arguments

CONFIGURATION = """
tailrace: 1
servers: {{mode: {mode}{count}}}
fields:
  all: {{every: 1 step, names: [{names}]}}
output:
  out.nc:
    compression: none
    variables:
{variables}
"""
KIB, MIB = 1 << 10, 1 << 20
RANKS = 2
SHAPES = {  # bytes of a field on a rank, fields, steps
    "16 MiB": (16 * MIB, 1, 20),
    "20 fields of 256 KiB": (256 * KIB, 20, 20),
}
OURS = {"dedicated": 1, "attached": 0}  # servers beside the model's ranks
OTHERS = {
    "pwrite": "pwrite into one file",
    "netcdf": "netCDF-4, a file for each rank",
    "netcdf_chunked": "netCDF-4, collective, chunked",
    "netcdf_contiguous": "netCDF-4, collective, contiguous",
}


def write(contender: str, shape: tuple[int, int, int]) -> jobs.Done:
    """One run, on a disk that has nothing else to do."""
    os.sync()
    size, fields, steps = shape
    with jobs.folder() as here:
        if contender not in OURS:
            return jobs.run([jobs.program("write_others"), contender, size, fields, steps], RANKS, here, pinned=False)
        names = [f"f{i}" for i in range(fields)]
        text = CONFIGURATION.format(
            mode=contender,
            count=f", count: {OURS[contender]}" * (OURS[contender] > 0),
            names=", ".join(names),
            variables="\n".join(f"      - {{field: {name}, time: snapshot, every: 1 step}}" for name in names),
        )
        (here / "write.yaml").write_text(text)
        command = [jobs.program("write_tailrace"), "write.yaml", size, fields, steps]
        return jobs.run(command, RANKS + OURS[contender], here, pinned=False)


def seconds(done: jobs.Done) -> float:
    spans = [(float(begin), float(end)) for begin, end in done.of("span")]
    return (max(end for _, end in spans) - min(begin for begin, _ in spans)) / 1e9


def main() -> None:
    asked = arguments(__doc__, rounds=7)
    results = Results("write")
    for name, shape in SHAPES.items():
        contenders = [*OTHERS, *OURS]
        times: dict[str, list[float]] = {contender: [] for contender in contenders}
        waits: dict[str, list[float]] = {contender: [] for contender in contenders}
        for _ in range(asked.rounds):
            for contender in list(contenders):
                done = write(contender, shape)
                if absent := done.of("absent"):
                    contenders.remove(contender)
                    print(f"{OTHERS[contender]} is left out: {' '.join(absent[0])}")
                    continue
                times[contender].append(seconds(done))
                waits[contender].append(done.figures()["step"]["median"])
        results.details.setdefault("seconds", {})[name] = {each: times[each] for each in contenders}
        for contender in contenders:
            pairs = zip(times[contender], times["pwrite"], strict=True)
            ratio = median(one / raw for one, raw in pairs)
            what = OTHERS.get(contender, f"Tailrace, {contender}")
            wait = median(waits[contender]) / 1e6
            note = f"{median(times[contender]):.3f} s until closed; a step takes {wait:.2f} ms of the model"
            results.add(f"{name}: {what}", ratio, "pwrites", 1 / 0.9 if contender in OURS else None, note)
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
