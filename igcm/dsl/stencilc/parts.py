"""Parts of a mesh for ranks, whose halo is exchanged by the library of igcm/model (libigcm_halo.so).

`Part` needs no MPI; `Part.connect` is collective and needs mpi4py's communicator.
"""

from __future__ import annotations

import ctypes
import weakref
from pathlib import Path

import numpy as np

from .runtime import BEGIN_EXCHANGE, END_EXCHANGE, POINTER, Grid
from .target import LOCATIONS


class Part:
    """The part of a rank: its own points, in the order of the whole mesh, then those that `steps` steps to neighbours
    lead to. owners: for each location the rank of each point. steps: STEPS of the generated module.

    grid: the part's handle, whose sets have own points only, as code with MPI wants them. numbers: of its points in the
    whole mesh.
    """

    def __init__(self, whole: Grid, owners: dict[str, np.ndarray], rank: int, steps: int):
        owners = {name: np.asarray(ranks) for name, ranks in owners.items()}
        for name, count in whole.counts.items():
            if owners[name].shape != (count,):
                raise ValueError(f"owners of {name}: shape {owners[name].shape}; expected {(count,)}")
        own = {name: ranks == rank for name, ranks in owners.items()}
        near, inner = reach(whole, own, steps), within(whole, own, steps)
        order = {
            name: np.concatenate([np.flatnonzero(own[name]), np.flatnonzero(near[name] & ~own[name])]) for name in own
        }
        self.disconnect = lambda: None  # gives back the halo of an earlier `connect`
        self.numbers = {name: np.ascontiguousarray(points, np.int32) for name, points in order.items()}
        self.owners = {name: np.ascontiguousarray(owners[name][points], np.int32) for name, points in order.items()}
        self.own = {name: int(mask.sum()) for name, mask in own.items()}
        local = {name: np.zeros(whole.counts[name], np.int32) for name in own}
        for name, points in order.items():
            local[name][points] = np.arange(len(points))
        counts = {name: len(points) for name, points in order.items()}
        relations = whole.mesh.relations
        # Entries that lead out of the part, which no loop follows, are 0.
        tables = {
            name: np.where(near[relations[name].to][table], local[relations[name].to][table], 0)
            for name, table in ((n, t[:, order[relations[n].start]]) for n, t in whole.tables.items() if steps)
        }
        self.grid = Grid(whole.mesh.name, whole.levels, counts, tables)
        for key, ranges in whole.ranges.items():
            location, name = key.split(".")
            chosen = np.zeros(whole.counts[location], bool)
            for first, end in ranges:
                chosen[first:end] = True
            early, late = (
                ranges_of(local[location][np.flatnonzero(chosen & own[location] & side)])
                for side in (inner[location], ~inner[location])
            )
            self.grid.set_ranges(location, name, np.concatenate([early, late]), len(early))

    def take(self, location: str, values: np.ndarray) -> np.ndarray:
        """The part of an array (..., point) of the whole mesh, halo included."""
        return np.ascontiguousarray(values[..., self.numbers[location]])

    def own_points(self, location: str) -> np.ndarray:
        """Numbers in the whole mesh of own points, which come first in the arrays of a part."""
        return self.numbers[location][: self.own[location]]

    def connect(self, comm, library: str | Path):
        """Kernels that get the handle exchange its halo from now on, as long as `grid` lives. comm: of mpi4py, which
        must live as long. Collective."""
        functions = ctypes.CDLL(str(library))
        make, free = functions.igcm_halo_make, functions.igcm_halo_free
        make.restype, free.argtypes, free.restype = ctypes.c_void_p, [ctypes.c_void_p], None
        counts = (ctypes.c_int32 * 3)(*(len(self.numbers[name]) for name in LOCATIONS))
        lists = [
            (POINTER * 3)(*(lists[n].ctypes.data_as(POINTER) for n in LOCATIONS))
            for lists in (self.numbers, self.owners)
        ]
        text = ctypes.create_string_buffer(200)
        halo = make(ctypes.c_int(comm.py2f()), counts, *lists, text, ctypes.c_int32(len(text)))
        if not halo:
            raise RuntimeError(f"{library}: {text.value.decode()}")
        self.grid.handle.begin_exchange = BEGIN_EXCHANGE(address(functions.igcm_halo_begin))
        self.grid.handle.end_exchange = END_EXCHANGE(address(functions.igcm_halo_end))
        self.grid.handle.context = halo
        self.disconnect()
        self.disconnect = weakref.finalize(self.grid, free, halo)


def address(function) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value


def reach(grid: Grid, own: dict[str, np.ndarray], steps: int) -> dict[str, np.ndarray]:
    """Points that at most so many steps from own ones lead to."""
    near = {name: mask.copy() for name, mask in own.items()}
    for _ in range(steps):
        before = {name: mask.copy() for name, mask in near.items()}
        for name, table in grid.tables.items():
            relation = grid.mesh.relations[name]
            near[relation.to][table[:, before[relation.start]]] = True
    return near


def within(grid: Grid, own: dict[str, np.ndarray], steps: int) -> dict[str, np.ndarray]:
    """Own points from which no so many steps lead to a point of another rank."""
    inner = {name: mask.copy() for name, mask in own.items()}
    for _ in range(steps):
        before = {name: mask.copy() for name, mask in inner.items()}
        for name, table in grid.tables.items():
            relation = grid.mesh.relations[name]
            inner[relation.start] &= before[relation.to][table].all(axis=0)
    return inner


def ranges_of(points: np.ndarray) -> np.ndarray:
    """Ascending numbers as ranges (first, one past the last)."""
    if not len(points):
        return np.zeros((0, 2), np.int32)
    breaks = np.flatnonzero(np.diff(points) != 1) + 1
    firsts, lasts = points[np.concatenate([[0], breaks])], points[np.concatenate([breaks - 1, [len(points) - 1]])]
    return np.stack([firsts, lasts + 1], axis=1).astype(np.int32)
