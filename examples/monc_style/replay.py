"""Replays a recorded run of MONC: the ranks send to Tailrace what the ranks of MONC sent to their I/O server.

    mpirun -n 6 python replay.py TRACE CONFIGURATION [--real-time | --speed N] [-D name=value ...]

starts as many servers as the configuration sets; the other ranks are model ranks. If there are as many model ranks as
in the trace, each sends what the rank of the trace sent; otherwise the domain is decomposed again. CONFIGURATION may be
MONC's unchanged XML, or a YAML file that includes it and sets the number of servers. README.md describes the format of
a trace.
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
    """The messages that the ranks of a run sent."""

    def __init__(self, folder):
        self.folder = folder
        self.index = json.loads((folder / "index.json").read_text())
        self.options = json.loads((folder / "options.json").read_text())
        self.ranks = self.index["ranks"]
        self.payloads = {}

    def payload(self, rank):
        if rank not in self.payloads:
            with np.load(self.folder / self.ranks[rank]["file"]) as file:
                self.payloads[rank] = file["payload"]
        return self.payloads[rank]

    def fields(self):
        """(definition, declaration, row of the first rank's layout) for each field that the trace contains."""
        for number, definition in enumerate(self.index["definitions"]):
            rows = self.rows(0, number)
            explicit = {}
            for position, declared in enumerate(definition["declared"]):
                if declared["name"] not in IMPLICIT or position >= len(IMPLICIT):
                    explicit[declared["name"]] = declared
            for name, declared in explicit.items():
                if declared["present"]:
                    yield number, declared, rows[name]

    def rows(self, rank, number):
        """The layout of a message of that rank, by field; if a name is sent twice, the later one counts."""
        return {row[0]: row for row in self.ranks[rank]["layout"][number]["fields"]}

    def steps(self):
        """(step, time, [(definition, its place in each rank's list), ...]); MONC sends several messages at the end of a
        step, and all ranks the same ones."""
        messages = enumerate(self.ranks[0]["messages"])
        for step, group in itertools.groupby(messages, key=lambda numbered: numbered[1][1]):
            group = list(group)
            yield step, group[0][1][2], [(message[0], place) for place, message in group]

    def values(self, rank, row, place):
        """An array with the slowest dimension first."""
        _, _, dtype, shape, offset, size = row
        start = self.ranks[rank]["messages"][place][4] + offset
        values = self.payload(rank)[start : start + size].view(dtype).reshape(shape[::-1] or [1])
        return np.require(values, requirements=["ALIGNED"])


class Cut:
    """The part of the domain that a rank holds, and the ranks of the trace that it replaces."""

    def __init__(self, trace, rank, ranks):
        self.trace, self.is_recut = trace, ranks != len(trace.ranks)
        size = dict(zip("zyx", trace.index["grid"]["size_zyx"], strict=True))
        if self.is_recut:
            rows = max(n for n in range(1, ranks + 1) if ranks % n == 0 and n * n <= ranks)
            row, column = divmod(rank, ranks // rows)
            pieces = {"z": (0, size["z"]), "y": part_of(size["y"], row, rows)}
            pieces["x"] = part_of(size["x"], column, ranks // rows)
            first, count = part_of(len(trace.ranks), rank, ranks)
            self.takes_over = range(first, first + count)
        else:
            pieces = self.piece_of_trace(rank)
            self.takes_over = range(rank, rank + 1)
        self.size, self.pieces = self.with_zn(size), self.with_zn(pieces)
        others = [rank] if not self.is_recut else range(len(trace.ranks))
        self.sources = [(other, self.with_zn(self.piece_of_trace(other))) for other in others]

    def piece_of_trace(self, rank):
        there = self.trace.ranks[rank]
        return {d: (s - 1, n) for d, s, n in zip("zyx", there["start_zyx"], there["count_zyx"], strict=True)}

    @staticmethod
    def with_zn(of_dims):
        return {**of_dims, "zn": of_dims["z"]}

    def block(self, number, name, dims, place):
        """This rank's part of a field, assembled from those of the trace's ranks."""
        if not self.is_recut:
            return self.trace.values(self.sources[0][0], self.trace.rows(self.sources[0][0], number)[name], place)
        values = None
        for rank, pieces in self.sources:
            here, there = [], []
            for dim in dims:
                (start, count), (other, others) = self.pieces[dim], pieces[dim]
                begin, end = max(start, other), min(start + count, other + others)
                here.append(slice(begin - start, max(begin, end) - start))
                there.append(slice(begin - other, max(begin, end) - other))
            part = self.trace.values(rank, self.trace.rows(rank, number)[name], place)
            if values is None:
                values = np.empty([self.pieces[dim][1] for dim in dims], part.dtype)
            values[tuple(here)] = part[tuple(there)]
        return values

    def contributions(self, number, name, place):
        """The contributions of the replaced ranks: stacked, or the only one."""
        parts = [self.trace.values(rank, self.trace.rows(rank, number)[name], place) for rank in self.takes_over]
        if not self.is_recut:
            return parts[0]
        row = self.trace.rows(0, number)[name]
        return np.array(parts) if parts else np.empty([0, *(row[3][::-1] or [1])], row[2])


def part_of(size, number, parts):
    """(start, count) of the part with this number."""
    start = size * number // parts
    return start, size * (number + 1) // parts - start


class Grids:
    """Declares grids when a field first needs them. MONC's dimensions come fastest first, Tailrace's slowest first."""

    def __init__(self, io, cut):
        self.io, self.cut, self.levels, self.known = io, cut, cut.trace.index["grid"], set()
        self.row_shape = cut.trace.ranks[0]["count_zyx"][1:]  # of the rank whose rows are looked at

    def place(self, number, declared, row):
        """Decides whether the array is a part of the domain, the same on all ranks, or a contribution of each rank.
        Returns the name of its grid, and a function that makes its values at a place in the lists of messages."""
        name, shape = row[0], row[3]
        dims = declared["size"].split(",")[::-1] if declared["size"] else []
        is_plane = declared["type"] == "array" and shape == self.row_shape
        if declared["collective"] or is_plane:
            dims = dims if declared["collective"] else ["x", "y"]
            return self.block(dims), lambda place: self.cut.block(number, name, dims, place)
        if dims or not name.endswith("_local"):
            grid = self.whole(dims or [f"{name}_{n}" for n in range(len(shape))][::-1], shape[::-1])
            return grid, lambda place: self.cut.trace.values(0, row, place)
        return self.contribution(shape[::-1]), lambda place: self.cut.contributions(number, name, place)

    def block(self, dims):
        name = "block_" + "_".join(dims)
        if name not in self.known:
            offset, count = zip(*(self.cut.pieces[dim] for dim in dims), strict=True)
            self.io.grid(name, dims, [self.cut.size[dim] for dim in dims], offset, count)
        return self.with_levels(name, dims)

    def whole(self, dims, shape):
        if not shape:
            return ""
        name = "whole_" + "_".join(dims)
        if name not in self.known:
            self.io.grid(name, dims, shape)
        return self.with_levels(name, dims)

    def contribution(self, shape):
        """MONC states the length of these, not the dimension: profiles over levels. With as many ranks as in the trace
        each has its own; otherwise they are stacked along a dimension `rank`, so that each still counts once."""
        dims = ["level", "level_2", "level_3"][: len(shape)][::-1]
        name = "contribution_" + "_".join(map(str, shape))
        if name not in self.known and not self.cut.is_recut:
            self.io.grid(name, dims, shape, partial=True)
        elif name not in self.known:
            ours, all_ranks = self.cut.takes_over, len(self.cut.trace.ranks)
            dims, offset = ["rank", *dims], [ours.start, *(0 for _ in shape)]
            self.io.grid(name, dims, [all_ranks, *shape], offset, [len(ours), *shape])
        self.known.add(name)
        return name

    def with_levels(self, name, dims):
        if name not in self.known:
            for dim in set(dims) & {"z", "zn"}:
                self.io.coordinate(name, dim, self.levels[dim], units="m", attributes={"positive": "up"})
        self.known.add(name)
        return name


def declare(io, cut, given):
    """(handle, function that makes the values) of each field, by definition."""
    for name, value in {**cut.trace.options, **given}.items():
        io.option(name, value)
    grids, fields = Grids(io, cut), {}
    for number, declared, row in cut.trace.fields():
        space = cut.trace.index["definitions"][number]["namespace"]
        name = f"{space}.{declared['name']}" if space else declared["name"]
        grid, values = grids.place(number, declared, row)
        handle = io.field(name, grid, np.dtype(row[2]).name, units=declared["units"])
        fields.setdefault(number, []).append((handle, values))
    io.ready()
    return fields


def play(io, trace, fields, speed):
    """Sends the messages `speed` times as fast as model time; None: as fast as the servers accept them."""
    begin, model_time = time.monotonic(), 0.0
    for step, model_time, messages in trace.steps():
        if speed:
            time.sleep(max(0.0, begin + model_time / speed - time.monotonic()))
        io.step(step, model_time)
        for number, place in messages:
            for handle, values in fields.get(number, ()):
                io.put(handle, values(place))
    return model_time, time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", type=Path)
    parser.add_argument("configuration", type=Path)
    parser.add_argument("--speed", type=float, metavar="N", help="N times as fast as model time")
    parser.add_argument("--real-time", dest="speed", action="store_const", const=1.0, help="the same as --speed 1")
    parser.add_argument(
        "-D",
        dest="options",
        action="append",
        default=[],
        metavar="name=value",
        help="sets an option, in place of that of the trace",
    )
    arguments = parser.parse_args()
    given = dict(option.split("=", 1) for option in arguments.options)
    with tailrace.Session.start(MPI.COMM_WORLD, arguments.configuration, component="monc") as io:
        if io.is_server() or io.is_off():
            return
        comm = io.model_comm()
        trace = Trace(arguments.trace)
        cut = Cut(trace, comm.rank, comm.size)
        played, took = play(io, trace, declare(io, cut, given), arguments.speed)
        if comm.rank == 0:
            print(f"played {played:.2f} s of MONC's run in {took:.2f} s")


if __name__ == "__main__":
    main()
