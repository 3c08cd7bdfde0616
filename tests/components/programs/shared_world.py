"""A job whose MPI_COMM_WORLD belongs to several programs: python shared_world.py ROLE SPLIT

ROLE: foreign (never loads Tailrace), model, server. SPLIT: `colours` (MPI_Comm_split of MPI_COMM_WORLD), or `yac` (YAC
owns MPI_COMM_WORLD, and `get_comps_comm` gives the communicator of model and server).
"""

import sys

import numpy as np
from mpi4py import MPI

STEPS = 5
TABLE = (3, 4)
TAGS = range(0, 120, 7)


def communicator(role: str, split: str, beside: list[str]) -> MPI.Comm:
    """Collective over MPI_COMM_WORLD. For the foreign program it is its own."""
    if split == "colours":
        return MPI.COMM_WORLD.Split(0 if role == "foreign" else 1)
    import yac

    coupler = yac.YAC()
    communicator.coupler = coupler  # it is finalised when nothing refers to it
    yac.def_calendar(yac.Calendar.PROLEPTIC_GREGORIAN)
    coupler.def_datetime("2026-01-01T00:00:00", "2026-01-02T00:00:00")
    coupler.def_comp(role)
    comm = coupler.get_comps_comm(["foreign"] if role == "foreign" else beside)
    coupler.enddef()
    return comm


def first_of(role: str) -> int:
    """Collective over MPI_COMM_WORLD: the lowest rank of a role."""
    roles = MPI.COMM_WORLD.allgather(sys.argv[1])
    return roles.index(role)


def compute(comm: MPI.Comm, foreign: int) -> None:
    """Puts what has no grid: a number and a table; and talks to the foreign program, by any tag, on MPI_COMM_WORLD."""
    import tailrace

    with tailrace.Session.start(comm, "run.yaml", component="ocean") as io:
        if io.is_server():
            return
        rank = io.model_comm().rank
        io.option("restart_number", 17)
        io.grid("table", dims=["row", "column"], shape=list(TABLE))
        io.field("mass", units="kg")
        io.field("budget", grid="table", units="W")
        io.ready()
        for step in range(1, STEPS + 1):
            io.step(step, 10.0 * step)
            io.put("mass", 100.0 + step)
            io.put("budget", np.arange(12.0).reshape(TABLE) * step)
            if rank == 0:
                for tag in TAGS:
                    MPI.COMM_WORLD.send(step + tag, foreign, tag)
                    assert MPI.COMM_WORLD.recv(source=foreign, tag=tag) == -(step + tag)


def answer() -> None:
    assert "tailrace" not in sys.modules
    for _ in range(STEPS):
        for tag in TAGS:
            status = MPI.Status()
            number = MPI.COMM_WORLD.recv(tag=tag, status=status)
            MPI.COMM_WORLD.send(-number, status.source, tag)


def main() -> None:
    role, split, *beside = sys.argv[1:]
    foreign = first_of("foreign")
    comm = communicator(role, split, beside)
    if role == "foreign":
        answer()
    elif role == "model":
        compute(comm, foreign)
    else:
        import tailrace

        tailrace.serve("run.yaml", comm)


main()
