"""A job whose MPI_COMM_WORLD belongs to several programs: python shared_world.py ROLE SPLIT FOREIGN BESIDE...

ROLE: foreign (never loads Tailrace), model, server. FOREIGN: the lowest rank of the foreign program. BESIDE: the roles
to which YAC gives one communicator. SPLIT: how MPI_COMM_WORLD is divided:

  colours    by MPI_Comm_split
  yac        YAC owns it, and `get_comps_comm` gives the communicator of model and server
  handshake  by an MPI handshake, in which the model names those of YAC and of `tailrace serve --group io`
"""

import ctypes
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

    own = named_groups(yac, ["yac", "io"]) if (role, split) == ("model", "handshake") else []
    coupler = yac.YAC(own[0]) if own else yac.YAC()
    communicator.coupler = coupler  # it is finalised when nothing refers to it
    yac.def_calendar(yac.Calendar.PROLEPTIC_GREGORIAN)
    coupler.def_datetime("2026-01-01T00:00:00", "2026-01-02T00:00:00")
    coupler.def_comp(role)
    comm = own[1] if own else coupler.get_comps_comm(["foreign"] if role == "foreign" else beside)
    coupler.enddef()
    return comm


def named_groups(yac, names: list[str]) -> list[MPI.Comm]:
    """By YAC's own function, which its module for Python does not have."""
    texts = (ctypes.c_char_p * len(names))(*(name.encode() for name in names))
    handles = (ctypes.c_int * len(names))()
    library = ctypes.CDLL(yac._yac.__file__)
    library.yac_cmpi_handshake_f2c(MPI.COMM_WORLD.py2f(), len(names), texts, handles)
    return [MPI.Comm.f2py(handle) for handle in handles]


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
    role, split, foreign, *beside = sys.argv[1:]
    comm = communicator(role, split, beside)
    if role == "foreign":
        answer()
    elif role == "model":
        compute(comm, int(foreign))
    else:
        import tailrace

        tailrace.serve("run.yaml", comm)


main()
