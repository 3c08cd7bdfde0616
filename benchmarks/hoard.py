#!/usr/bin/env python3
"""What servers hold of jobs that are hostile to their memory, beside the same job with next to nothing to write."""

import json
import os
import sys
from dataclasses import dataclass, replace

from support import jobs
from support.results import Results, arguments

MIB = float(1 << 20)
MEMORY = 64  # MiB, of each server
SLACK = 64  # MiB beyond it: the heap's own, threads, HDF5, MPI
BUFFER = 8  # MiB, of each client, unless its largest put needs more


@dataclass(frozen=True)
class Shape:
    clients: int = 2
    servers: int = 1
    mode: str = "dedicated"
    transport: str = "shm"
    steps: int = 40
    fields: int = 1
    rows: int = 1024  # of a rank
    columns: int = 512
    disk: float = 20.0  # milliseconds that each write of a file takes at least
    time: str = "snapshot"
    every: str = "1 step"
    write_every: str = "1 step"
    compression: str = "none"
    access: str = "auto"
    files: int = 1  # over which the fields are spread
    components: int = 1
    with_model: bool = False  # the servers are in the model's ranks
    memory: int = MEMORY
    together: bool = False  # model ranks wait for each other in each step
    diagnostics: int = 0  # of whole planes, instead of the fields
    scattered: bool = False  # each rank holds cells that lie apart

    def configuration(self, component: int) -> str:
        count = f", count: {self.servers}" if self.mode == "dedicated" else ""
        names = [f"f{number}" for number in range(self.fields)]
        memory = f"memory: {self.memory} MiB"
        transport = f", transport: {self.transport}" if self.mode == "dedicated" else ""
        expressions = [f"(f0 - mean(f0)) * (f{n % self.fields} + {n})" for n in range(self.diagnostics)]
        diagnostics = [f'  d{n}: {{is: "{text}", units: "1"}}' for n, text in enumerate(expressions)]
        written = [f"d{n}" for n in range(self.diagnostics)] or names
        lines = [
            "tailrace: 1",
            f"servers: {{mode: {self.mode}{count}{transport}, buffer: {self.buffer():.0f} MiB, {memory}}}",
            "fields:",
            f"  all: {{every: 1 step, names: [{', '.join(names)}]}}",
            *(["diagnostics:"] * bool(diagnostics)),
            *diagnostics,
            "output:",
        ]
        for number in range(self.files):
            lines += [
                f"  out{component}_{number}.nc:",
                f"    write_every: {self.write_every}",
                f"    access: {self.access}",
                f"    compression: {self.compression}",
                "    variables:",
                *(
                    f"      - {{field: {name}, time: {self.time}, every: {self.every}}}"
                    for name in written[number :: self.files]
                ),
            ]
        return "\n".join(lines) + "\n"

    def put(self) -> float:
        """MiB of a field in a rank."""
        return self.rows * self.columns * 8 / MIB

    def buffer(self) -> float:
        return max(BUFFER, self.put() + 1)

    def ring(self) -> float:
        """MiB of the buffers of its clients that a server of their node sees as its own."""
        if self.transport == "mpi":
            return 0.0
        return self.buffer() * (1 if self.with_model else -(-self.clients // self.servers))

    def model(self) -> float:
        """MiB that the model itself has in a rank where the servers are."""
        return self.put() if self.with_model else 0.0


SHAPES = {
    "a slow disk": Shape(),
    "a slow disk, mpi": Shape(transport="mpi"),
    "a slow disk, two servers": Shape(servers=2, steps=60),
    "a slow disk, two servers, mpi": Shape(servers=2, transport="mpi", steps=60),
    "a file on a server without clients": Shape(clients=1, servers=2, files=2, fields=2, steps=60),
    "series of a field of 64 MiB": Shape(rows=8192, access="series", steps=10, disk=0.2, memory=128),
    "60 files, two servers": Shape(files=60, fields=60, rows=128, steps=20, servers=2, disk=2.0),
    "four servers, mpi": Shape(clients=4, servers=4, transport="mpi", files=3, fields=3, rows=512),
    "two components, two servers": Shape(clients=4, servers=2, components=2, steps=60),
    "compressed hard, two servers, mpi": Shape(
        servers=2, transport="mpi", compression="{codec: zlib, level: 6}", fields=4, steps=20, disk=1.0
    ),
    "puts of 16 MiB, back to back": Shape(rows=4096, steps=20, disk=5.0),
    "means, written together": Shape(
        time="mean", every="8 steps", fields=4, rows=512, write_every="40 steps", steps=80
    ),
    "means that nearly fill the memory": Shape(
        time="mean", every="8 steps", fields=4, write_every="8 steps", steps=40, memory=80
    ),
    "written once a hundred steps": Shape(servers=2, rows=256, fields=4, steps=200, write_every="100 steps", disk=5.0),
    "eight diagnostics of whole planes, two servers": Shape(servers=2, fields=2, diagnostics=8, rows=256, steps=60),
    "cells that lie apart, two servers, mpi": Shape(servers=2, transport="mpi", scattered=True, rows=512, steps=40),
    "attached": Shape(mode="attached", servers=2, with_model=True),
    "inline": Shape(mode="inline", servers=2, with_model=True, disk=2.0, together=True),
}


def most(shape: Shape, steps: int) -> tuple[float, dict[str, float]]:
    """MiB of the server that took most; and, of any, the most that it held, by kind."""
    with jobs.folder() as here:
        names = []
        for component in range(shape.components):
            names.append(f"c{component}.yaml")
            (here / names[-1]).write_text(shape.configuration(component))
        os.environ["TAILRACE_FILE_DELAY"] = str(int(1000 * shape.disk))
        ranks = shape.clients + (0 if shape.with_model else shape.servers)
        command = [jobs.program("hoard"), ",".join(names), steps, shape.fields, shape.rows, shape.columns]
        command += ["together"] * shape.together + ["scattered"] * shape.scattered
        done = jobs.run(command, ranks, here, pinned=False)
        servers = done.report()["servers"]
    marks = {int(line[0]): float(line[1]) / MIB for line in done.of("memory")}
    kinds = servers[0]["held_high_water_bytes"]
    held = {kind: max(server["held_high_water_bytes"][kind] for server in servers) / MIB for kind in kinds}
    return max(marks[rank] for rank in range(0 if shape.with_model else shape.clients, ranks)), held


def main() -> None:
    asked = arguments(__doc__, only="")
    results = Results("hoard")
    for name, shape in SHAPES.items():
        if asked.only not in name:
            continue
        code, _ = most(replace(shape, rows=8, columns=8, disk=0.0), 2)
        taken, held = most(shape, shape.steps)
        note = ", ".join(f"{kind} {mib:.0f}" for kind, mib in held.items() if mib >= 1)
        results.add(name, taken - code - shape.ring() - shape.model(), "MiB", float(shape.memory + SLACK), note)
        results.details[name] = held | {"code": code}
        print(json.dumps(results.rows[-1]), flush=True)
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
