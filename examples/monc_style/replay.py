"""Plays a recorded run of MONC into Tailrace: each rank sends what a rank of MONC sent to its I/O server.

    mpirun -n 6 python replay.py TRACE CONFIGURATION [--real-time] [-D name=value ...]

starts as many model ranks as the trace has, and the rest as servers. CONFIGURATION may be MONC's XML as it stands, or a
YAML file that includes it and says how many servers there are. README.md has the format of a trace.
"""

import argparse
import itertools
import json
import time
from pathlib import Path

import numpy as np
import tailrace
from mpi4py import MPI

IMPLICIT = ("timestep", "time", "terminated")  # at the head of every message


class Trace:
    """The messages of one rank."""

    def __init__(self, folder, rank):
        self.index = json.loads((folder / "index.json").read_text())
        self.options = json.loads((folder / "options.json").read_text())
        if rank is None:
            return
        self.rank = self.index["ranks"][rank]
        with np.load(folder / self.rank["file"]) as file:
            self.payload = file["payload"]

    def ranks(self):
        return len(self.index["ranks"])

    def fields(self):
        """(definition, declaration, row of the layout) for each field that is there."""
        for number, definition in enumerate(self.index["definitions"]):
            rows = {row[0]: row for row in self.rank["layout"][number]["fields"]}  # a name sent twice: the later one
            explicit = {}
            for position, declared in enumerate(definition["declared"]):
                if declared["name"] not in IMPLICIT or position >= len(IMPLICIT):
                    explicit[declared["name"]] = declared
            for name, declared in explicit.items():
                if declared["present"]:
                    yield number, declared, rows[name]

    def steps(self):
        """(step, time, [(definition, bytes), ...]) in order; MONC sends several messages at the end of a step."""
        for step, messages in itertools.groupby(self.rank["messages"], key=lambda message: message[1]):
            messages = list(messages)
            sizes = [self.rank["layout"][number]["message_bytes"] for number, *_ in messages]
            parts = [(m[0], self.payload[m[4] : m[4] + size]) for m, size in zip(messages, sizes, strict=True)]
            yield step, messages[0][2], parts


def values_of(message, row):
    """An array with the slowest dimension first."""
    _, _, dtype, shape, offset, size = row
    values = message[offset : offset + size].view(dtype).reshape(shape[::-1] or [1])
    return np.require(values, requirements=["ALIGNED"])


class Grids:
    """Declares grids as they are met. MONC's dimensions come fastest first, Tailrace's slowest first."""

    def __init__(self, io, trace):
        self.io, self.index, self.known = io, trace.index, set()
        names = ("z", "y", "x")
        self.start = dict(zip(names, trace.rank["start_zyx"], strict=True))
        self.count = dict(zip(names, trace.rank["count_zyx"], strict=True))
        self.size = dict(zip(names, trace.index["grid"]["size_zyx"], strict=True))
        for of_each in (self.start, self.count, self.size):
            of_each["zn"] = of_each["z"]

    def grid_of(self, declared, shape):
        """What the array is: a part of the domain, the same on all ranks, or what this rank contributes."""
        dims = declared["size"].split(",") if declared["size"] else []
        if declared["collective"]:
            return self.block(dims)
        if declared["type"] == "array" and shape == [self.count["y"], self.count["x"]]:
            return self.block(["y", "x"])
        if dims or not declared["name"].endswith("_local"):
            return self.whole(dims or [f"{declared['name']}_{n}" for n in range(len(shape))], shape)
        return self.contribution(shape)

    def block(self, dims):
        dims = dims[::-1]
        name = "block_" + "_".join(dims)
        if name not in self.known:
            offset = [self.start[dim] - 1 for dim in dims]
            self.io.grid(name, dims, [self.size[d] for d in dims], offset, [self.count[d] for d in dims])
        return self.with_levels(name, dims)

    def whole(self, dims, shape):
        if not shape:
            return ""
        dims, shape = dims[::-1], shape[::-1]
        name = "whole_" + "_".join(dims)
        if name not in self.known:
            self.io.grid(name, dims, shape)
        return self.with_levels(name, dims)

    def contribution(self, shape):
        """MONC says how long these are, not along what: profiles over levels."""
        dims = ["level", "level_2", "level_3"][: len(shape)][::-1]
        name = "contribution_" + "_".join(map(str, shape))
        if name not in self.known:
            self.io.grid(name, dims, shape[::-1], partial=True)
        self.known.add(name)
        return name

    def with_levels(self, name, dims):
        if name not in self.known:
            for dim in set(dims) & {"z", "zn"}:
                self.io.coordinate(name, dim, self.index["grid"][dim], units="m", attributes={"positive": "up"})
        self.known.add(name)
        return name


def declare(io, trace, given):
    for name, value in {**trace.options, **given}.items():
        io.option(name, value)
    grids, rows = Grids(io, trace), {}
    for number, declared, row in trace.fields():
        space = trace.index["definitions"][number]["namespace"]
        name = f"{space}.{declared['name']}" if space else declared["name"]
        handle = io.field(name, grids.grid_of(declared, row[3]), np.dtype(row[2]).name, units=declared["units"])
        rows.setdefault(number, []).append((handle, row))
    io.ready()
    return rows


def play(io, trace, rows, real_time):
    begin = time.monotonic()
    for step, model_time, messages in trace.steps():
        if real_time:
            time.sleep(max(0.0, begin + model_time - time.monotonic()))
        io.step(step, model_time)
        for number, message in messages:
            for handle, row in rows.get(number, ()):
                io.put(handle, values_of(message, row))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", type=Path)
    parser.add_argument("configuration", type=Path)
    parser.add_argument("--real-time", action="store_true", help="at the pace of the model's own time")
    parser.add_argument(
        "-D",
        dest="options",
        action="append",
        default=[],
        metavar="name=value",
        help="an option, instead of the trace's",
    )
    arguments = parser.parse_args()
    given = dict(option.split("=", 1) for option in arguments.options)
    with tailrace.Session.start(MPI.COMM_WORLD, arguments.configuration, component="monc") as io:
        if io.is_server() or io.is_off():
            return
        comm = io.model_comm()
        trace = Trace(arguments.trace, None)
        if comm.size != trace.ranks():
            raise SystemExit(f"the trace has {trace.ranks()} ranks, but the model was started with {comm.size}")
        trace = Trace(arguments.trace, comm.rank)
        play(io, trace, declare(io, trace, given), arguments.real_time)


if __name__ == "__main__":
    main()
