"""PISM as a component of the job: its definitions, its orders and its values.

PISM's processes and those of this component have an intercommunicator, on which PISM's first process sends to ours.
It passes on to the others what they all need.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tailrace.yac.errors import CouplingError
from tailrace.yac.waiting import Patience

from .first import in_first
from .grid import GridPart
from .orders import Order, parse

PISM, OUTPUT = "pism", "pism_output"  # the names that PISM has in its source
ORDERS = 0  # the tag of orders, and of the sizes of grids


class Partner:
    """Collective over the processes of this component. Blocks until PISM makes its output writer."""

    def __init__(self, yac_instance: Any, component: Any, patience: Patience, idle: Patience):
        """`patience`: for values that PISM has announced; `idle`: for its next order."""
        from mpi4py import MPI

        self._mpi, self._yac, self._component = MPI, yac_instance, component
        self._patience, self._idle = patience, idle
        self.comm = component.comp_comm
        both = yac_instance.get_comps_comm([PISM, OUTPUT])
        self._link = self.comm.Create_intercomm(0, both, self._leader_of_pism(both), tag=0)
        self._grids: dict[str, GridPart] = {}
        self._points: dict[str, Any] = {}
        self._fields: dict[str, Any] = {}
        self.grid_of: dict[str, GridPart] = {}  # of each field

    def _leader_of_pism(self, both: Any) -> int:
        """Its rank in the communicator of both, where YAC has PISM's processes first."""
        own = self.comm.Get_group().Translate_ranks([0], both.Get_group())[0]
        leaders = np.empty(both.size, dtype="i")
        both.Allgather([np.array([own], dtype="i"), self._mpi.INT], [leaders, self._mpi.INT])
        return int(leaders[0])

    # ---- orders

    def next_order(self) -> Order:
        """Raises CouplingError, for a text that is no order in all processes."""
        text = bytearray()
        if self.comm.rank == 0:
            status = self._mpi.Status()
            self._idle.wait(lambda: self._link.Iprobe(0, ORDERS, status), _silence)
            text = bytearray(status.Get_count(self._mpi.CHAR))
            self._link.Recv([text, self._mpi.CHAR], 0, ORDERS)
        self._meet()
        return in_first(self.comm, lambda: parse(bytes(text)))

    def _meet(self) -> None:
        """Before a broadcast, in which the processes that wait would keep their cores busy."""
        if self.comm.size > 1:
            request = self.comm.Ibarrier()
            self._idle.wait(lambda: request.Test(), _silence)

    # ---- definitions

    def define_grid(self, name: str) -> None:
        """PISM's processes send which points they have, and their places."""
        size = np.empty(2, dtype="i")
        if self.comm.rank == 0:
            self._link.Recv([size, self._mpi.INT], 0, ORDERS)
        counts = self._counts()
        parts = [self._gathered(counts, kind) for kind in ("i", "d", "d")]
        size, (index, y, x) = self.comm.bcast((size, parts))
        part = GridPart(name, int(size[1]), int(size[0]), self.comm.rank, self.comm.size)
        self._points[name] = part.define(index, y, x)
        self._grids[name] = part

    def _counts(self) -> np.ndarray | None:
        """How many points each process of PISM has, in our first process."""
        if self.comm.rank:
            self._link.Gather(None, None, root=self._mpi.PROC_NULL)
            return None
        counts = np.empty(self._link.Get_remote_size(), dtype="i")
        self._link.Gather(None, [counts, self._mpi.INT], root=self._mpi.ROOT)
        return counts

    def _gathered(self, counts: np.ndarray | None, kind: str) -> np.ndarray | None:
        """As many values from each process of PISM, in our first process."""
        if counts is None:
            self._link.Gatherv(None, None, root=self._mpi.PROC_NULL)
            return None
        values = np.empty(counts.sum(), dtype=kind)
        places = np.concatenate(([0], np.cumsum(counts)[:-1]))
        mpi_kind = self._mpi.INT if kind == "i" else self._mpi.DOUBLE
        self._link.Gatherv(None, [values, (counts, places), mpi_kind], root=self._mpi.ROOT)
        return values

    def define_field(self, order: Order) -> None:
        """PISM defines no couples: its values come as they are, each to the point of the same place."""
        import yac

        name, grid = order["variable_name"], order["grid_name"]
        if name in self._fields:
            return
        if grid not in self._grids:
            raise CouplingError(f"PISM defines the field {name} on the grid {grid}, which it has not defined before")
        points, step = self._points[grid], order["timestep"]
        unit = yac.TimeUnit.ISO_FORMAT
        self._fields[name] = yac.Field.create(name, self._component, points, order["collection_size"], step, unit)
        self.grid_of[name] = self._grids[grid]
        same = yac.InterpolationStack()
        same.add_nnn(yac.NNNReductionType.AVG, 1, 1.0, 0.0)
        source, target = (PISM, grid, name), (OUTPUT, self._grids[grid].name, name)
        self._yac.def_couple(*source, *target, step, unit, yac.Reduction.TIME_NONE, same)

    def end_definitions(self) -> None:
        self._yac.enddef()

    # ---- values

    def field(self, name: str) -> np.ndarray:
        """(y, x, level) of this process's part. Each call is the next minute of the field in YAC."""
        if name not in self._fields:
            raise CouplingError(f"PISM sends the field {name}, which it has not defined before its time loop")
        field, part = self._fields[name], self.grid_of[name]
        values = np.full((field.collection_size, part.count), np.nan)
        field.get(values, asyn=True)
        self._patience.wait(
            lambda: bool(field.test()),
            lambda waited: f"PISM has announced the field {name}, and for {waited} has not sent it",
        )
        return np.moveaxis(values.reshape(-1, part.rows, part.columns), 0, -1)

    def array(self, tag: int, count: int, is_text: bool) -> np.ndarray | bytes:
        """Values beside YAC, float64, or characters."""
        values = np.empty(count, dtype="S1" if is_text else "f8")
        buffer = [values, self._mpi.CHAR if is_text else self._mpi.DOUBLE]

        def receive() -> None:
            request = self._link.Irecv(buffer, 0, tag)
            self._patience.wait(
                request.Test, lambda waited: f"PISM has announced {count} values, and for {waited} has not sent them"
            )

        in_first(self.comm, receive)
        self.comm.Bcast(buffer)
        return values.tobytes() if is_text else values


def _silence(waited: str) -> str:
    return f"PISM has given no order for {waited}: it computes, or has ended without its last order"
