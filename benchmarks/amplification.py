#!/usr/bin/env python3
"""How many bytes a server writes for each byte that its file takes on the device: of values, headers, indices and
journals. Parts of the file that nobody wrote take none."""

import json
import sys
from dataclasses import dataclass

from support import jobs
from support.results import Results, arguments

MIB = float(1 << 20)
AT_MOST = 1.3


@dataclass(frozen=True)
class Shape:
    fields: int
    rows: int
    columns: int
    steps: int
    options: str = ""  # of the file
    every: str = "1 step"
    time: str = "snapshot"
    at_most: float = AT_MOST

    def configuration(self) -> str:
        names = ", ".join(f"f{number}" for number in range(self.fields))
        return f"""
tailrace: 1
servers: {{mode: dedicated, count: 1, report: false, memory: 2 GiB}}
fields: {{all: {{every: 1 step, names: [{names}]}}}}
output:
  out.nc:
    {{{self.options}, variables: [{{fields: "f*", operation: {self.time}, every: {self.every}}}]}}
"""


# What the headers of 21 variables cost where a commit brings a number for each; `tailrace check` warns of it.
HEADERS_ALONE = 6.0
ZLIB = "compression: {codec: zlib, level: 1}"
SHAPES = {
    "20 numbers each step": Shape(20, 1, 1, 5000, "compression: none"),
    "20 numbers each step, compressed": Shape(20, 1, 1, 5000, ZLIB),
    "20 numbers, a commit a step": Shape(
        20, 1, 1, 5000, "compression: none, write_every: 1 step", at_most=HEADERS_ALONE
    ),
    "20 numbers, a commit every 10": Shape(20, 1, 1, 5000, "compression: none, write_every: 10 steps"),
    "a map of 64 MiB, a commit a step": Shape(1, 4096, 2048, 8, "write_every: 1 step"),
    "a map of 64 MiB, compressed": Shape(1, 4096, 2048, 4, f"write_every: 1 step, {ZLIB}"),
    "series of 2 MiB, a commit a step": Shape(1, 512, 512, 96, "access: series, write_every: 1 step"),
    "series of 2 MiB, compressed": Shape(1, 512, 512, 96, f"access: series, write_every: 1 step, {ZLIB}"),
    "series of 2 MiB, compressed, 32 steps a commit": Shape(
        1, 512, 512, 96, f"access: series, write_every: 32 steps, {ZLIB}"
    ),
    "profiles, means over 10 steps": Shape(12, 90, 1, 4000, "access: series", "10 steps", "mean"),
    "planes of 200 KiB, each of 8 a step": Shape(8, 160, 160, 60, "access: auto"),
}


def measured(shape: Shape) -> tuple[float, float]:
    """Bytes that the server wrote, and those that the file takes."""
    with jobs.folder() as here:
        (here / "job.yaml").write_text(shape.configuration())
        command = [jobs.program("hoard"), "job.yaml", shape.steps, shape.fields, shape.rows, shape.columns]
        done = jobs.run(command, 2, here, pinned=False)
        written = {int(line[0]): float(line[1]) for line in done.of("written")}
        return written[1], 512.0 * (here / "out.nc").stat().st_blocks


def main() -> None:
    asked = arguments(__doc__, only="")
    results = Results("amplification")
    for name, shape in SHAPES.items():
        if asked.only not in name:
            continue
        written, size = measured(shape)
        values = 8.0 * shape.fields * shape.rows * shape.columns * shape.steps
        note = f"{written / MIB:.1f} MiB for a file of {size / MIB:.1f} MiB, {values / MIB:.1f} MiB put"
        results.add(name, written / size, "", shape.at_most, note)
        print(json.dumps(results.rows[-1]), flush=True)
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
