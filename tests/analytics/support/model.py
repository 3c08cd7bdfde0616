"""A model whose fields are given NumPy arrays, divided into blocks over its ranks: model.py CASE (see jobs.py)."""

import json
import sys
from pathlib import Path

import numpy as np
import tailrace
from mpi4py import MPI


def part(extent: int, parts: int, number: int) -> slice:
    """Parts that are as equal as possible; with more parts than cells some are empty."""
    return slice(extent * number // parts, extent * (number + 1) // parts)


def block_of(grid: dict, rank: int, size: int) -> tuple[slice, ...]:
    """The ranks form a grid of `parts`; ranks beyond it have no cells."""
    parts = [grid.get("parts", {}).get(dim, 1) for dim in grid["dims"]]
    if rank >= np.prod(parts):
        return tuple(slice(0, 0) for _ in parts)
    place = np.unravel_index(rank, parts)
    return tuple(part(*one) for one in zip(grid["shape"], parts, place, strict=True))


def blocks_of(grid: dict, rank: int, size: int) -> list[tuple[slice, ...]]:
    """The blocks of a rank, as given by the grid: `blocks`, by rank a list of [offset, count]. Otherwise one."""
    if "blocks" not in grid:
        return [block_of(grid, rank, size)]
    return [
        tuple(slice(begin, begin + length) for begin, length in zip(offset, count, strict=True))
        for offset, count in grid["blocks"][rank]
    ]


def indices_of(grid: dict, rank: int, size: int) -> np.ndarray:
    """Cells in round robin, but none for the last of several ranks; or as given by the grid."""
    if "indices" in grid:
        return np.array(grid["indices"][rank], dtype=np.int64)
    extent = grid["shape"][grid["dims"].index(grid["indexed_dim"])]
    players = max(1, size - 1)
    return np.arange(rank, extent, players, dtype=np.int64) if rank < players else np.empty(0, dtype=np.int64)


class Field:
    def __init__(self, io, field: dict, grids: dict, values: np.ndarray, rank: int, size: int):
        self.name, self.rank, self.size, self.values = field["name"], rank, size, values
        self.grid = grids.get(field.get("grid", ""))
        self.absent_from = field.get("absent_from")  # from this step on it is not put
        self.early = field.get("early", False)  # put before the first step
        more = {key: field[key] for key in ("fill_value", "standard_name", "attributes") if key in field}
        io.field(self.name, grid=field.get("grid", ""), units=field.get("units", ""), dtype=str(values.dtype), **more)

    def block(self, step: int) -> np.ndarray | None:
        values = self.values[step - 1]
        kind = self.grid["kind"] if self.grid else "replicated"
        if kind == "block":
            blocks = [np.ascontiguousarray(values[one]) for one in blocks_of(self.grid, self.rank, self.size)]
            return blocks[0] if len(blocks) == 1 else np.concatenate([one.ravel() for one in blocks])
        if kind == "indexed":
            place = self.grid["dims"].index(self.grid["indexed_dim"])
            return np.ascontiguousarray(values.take(indices_of(self.grid, self.rank, self.size), axis=place))
        if kind == "partial":  # contributions in the first dimension, of which each rank adds its share
            return np.ascontiguousarray(values[self.rank :: self.size].sum(axis=0))
        return values


def put_by_blocks(io, fields: list[Field], step: int) -> None:
    """As a model that loops over its blocks, and within that loop over its fields; the last block comes first."""
    wanted = [field for field in fields if io.wants(field.name)]
    most = max(len(blocks_of(field.grid, field.rank, field.size)) for field in fields)
    for number in reversed(range(most)):
        for field in wanted:
            blocks = blocks_of(field.grid, field.rank, field.size)
            if number < len(blocks):
                io.put_block(field.name, number, field.values[step - 1][blocks[number]])


def part_of_coordinate(grid: dict, coordinate: dict, rank: int, size: int) -> np.ndarray:
    """The part of this rank along its dimensions."""
    values = np.array(coordinate["values"])
    dims = coordinate.get("dims", [coordinate["name"]])
    if grid["kind"] == "indexed":
        return values[indices_of(grid, rank, size)]
    places = [grid["dims"].index(dim) for dim in dims]
    whole = values.reshape([grid["shape"][place] for place in places])
    parts = [whole[tuple(block[place] for place in places)] for block in blocks_of(grid, rank, size)]
    return np.ascontiguousarray(parts[0]) if len(parts) == 1 else np.concatenate([one.ravel() for one in parts])


def declare_grid(io, grid: dict, rank: int, size: int) -> None:
    where, further = {}, []
    if grid["kind"] == "block":
        block, *further = blocks_of(grid, rank, size)
        where = {"offset": [one.start for one in block], "count": [one.stop - one.start for one in block]}
    elif grid["kind"] == "indexed":
        where = {"indexed_dim": grid["indexed_dim"], "indices": indices_of(grid, rank, size)}
    elif grid["kind"] == "partial":
        where = {"partial": True}
    io.grid(grid["name"], dims=grid["dims"], shape=grid["shape"], **where)
    for block in further:
        io.add_block(grid["name"], offset=[one.start for one in block], count=[one.stop - one.start for one in block])
    for coordinate in grid.get("coordinates", []):
        io.coordinate(
            grid["name"],
            coordinate["name"],
            part_of_coordinate(grid, coordinate, rank, size)
            if "part" in coordinate
            else np.array(coordinate["values"]),
            units=coordinate.get("units", ""),
            dims=coordinate.get("dims", [coordinate["name"]]),
            standard_name=coordinate.get("standard_name", ""),
            attributes=coordinate.get("attributes", {}),
            bounds=coordinate.get("bounds"),
            measure=coordinate.get("measure", ""),
        )


def main(folder: str) -> None:
    case = json.loads(Path(f"{folder}/case.json").read_text())
    arrays = np.load(f"{folder}/arrays.npz")
    with tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml", component="model") as io:
        if io.is_server():
            return
        comm = io.model_comm()
        for name, value in case["options"].items():
            io.option(name, value)
        grids = {grid["name"]: grid for grid in case["grids"]}
        for grid in grids.values():
            declare_grid(io, grid, comm.rank, comm.size)
        fields = [Field(io, one, grids, arrays[one["name"]], comm.rank, comm.size) for one in case["fields"]]
        io.ready()
        for field in fields:
            if field.early:
                io.put(field.name, field.block(1))
                assert not io.wants(field.name)
        for step in range(1, case["steps"] + 1):
            io.step(step, float(step))
            if case.get("by_blocks"):
                put_by_blocks(io, fields, step)
                continue
            for field in fields:
                present = field.absent_from is None or step < field.absent_from
                if present and io.wants(field.name):
                    io.put(field.name, field.block(step))


try:
    main(sys.argv[1])
except tailrace.Error as error:
    # In the form that the harness expects.
    codes = ["usage", "configuration", "resource", "lost", "full", "internal"]
    print(f"ERROR {codes.index(error.code) + 1} {error}", flush=True)
    sys.exit(3)
