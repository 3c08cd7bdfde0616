#!/usr/bin/env python3
"""Whether a server stays within its memory however long the run, also when it cannot keep up with the model."""

import sys

from support import jobs
from support.results import Results, arguments

CONFIGURATION = """
tailrace: 1
servers: {{mode: dedicated, count: {servers}, buffer: 32 MiB, memory: {memory} MiB, transport: {transport}}}
fields:
  all: {{every: 1 step, names: [q]}}
output:
  out.nc:
    format: {format}
    write_every: 4 steps
    compression: {compression}
    variables:
{variables}
"""
MEAN = "      - {field: q, name: q_mean, time: mean, every: 4 steps}"
EACH = "      - {field: q, time: snapshot, every: 1 step}"

CASES = {
    # name: (servers, transport, format, variables, compression, share of the steps)
    "means": (1, "shm", "netcdf", [MEAN], "none", 1.0),
    "means, transport mpi": (1, "mpi", "netcdf", [MEAN], "none", 1.0),
    "every step, compressed hard: the server is behind": (1, "shm", "netcdf", [EACH], "{codec: zlib, level: 6}", 0.25),
    "the same, transport mpi": (1, "mpi", "netcdf", [EACH], "{codec: zlib, level: 6}", 0.25),
    # Messages between servers are of many sizes: the heaps of these have all they need after some 2000 steps.
    "the same, 2 servers": (2, "shm", "netcdf", [EACH], "{codec: zlib, level: 6}", 8.0),
}
BUFFER = 32 << 20
MEMORY = 64
MIB = float(1 << 20)


def main() -> None:
    asked = arguments(__doc__, steps=480, cells=500000)
    results = Results("memory")
    for name, (servers, transport, kind, variables, compression, share) in CASES.items():
        with jobs.folder() as here:
            text = CONFIGURATION.format(
                servers=servers,
                transport=transport,
                format=kind,
                compression=compression,
                memory=MEMORY,
                variables="\n".join(variables),
            )
            (here / "memory.yaml").write_text(text)
            steps = int(asked.steps * share)
            done = jobs.run([jobs.program("streamer"), "memory.yaml", steps, asked.cells], 1 + servers, here)
            report = done.report()
        marks = {(line[0], line[1]): float(line[2]) for line in done.of("memory")}
        for rank in range(1, 1 + servers):
            at_start, half, end = (marks[(when, str(rank))] for when in ("start", "half", "end"))
            which = f"{name}{f', server {rank - 1}' * (servers > 1)}"
            grown = (end - half) / MIB
            results.add(
                f"{which}: growth in the second half", grown, "MiB", 4.0, f"{steps} steps, {half / MIB:.0f} MiB then"
            )
            # The buffer is the client's; the server sees it (shm) or holds as much (mpi).
            bound = (at_start + BUFFER) / MIB + MEMORY
            results.add(f"{which}: most memory", end / MIB, "MiB", bound, f"{at_start / MIB:.0f} MiB at the start")
        pending = max(server["pending_high_water_bytes"] for server in report["servers"]) / MIB
        results.add(f"{name}: waiting for assembly or disk", pending, "MiB", float(MEMORY))
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
