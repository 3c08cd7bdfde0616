"""The MPI handshake by which the programs of a job divide a communicator among groups that they name.

YAC and the models that use it do this on MPI_COMM_WORLD. The protocol is version 1 of
https://gitlab.dkrz.de/dkrz-sw/mpi-handshake: one group after the other, the lowest rank that still lacks one of its
groups broadcasts its name, and all ranks split the communicator.
"""

from __future__ import annotations

from typing import Any

import numpy as np

VERSION = 1


class HandshakeError(Exception):
    pass


def join_group(comm: Any, name: str) -> Any:
    """Collective over comm, an mpi4py communicator, whose other ranks take part for their own groups. Blocks. Returns
    the communicator of all ranks that named this group."""
    from mpi4py import MPI

    def least(number: int) -> int:
        found = np.array(number, dtype=np.intc)
        comm.Allreduce(MPI.IN_PLACE, found, MPI.MIN)
        return int(found)

    if (version := least(VERSION)) != VERSION:
        raise HandshakeError(f"another program has version {version} of the MPI handshake; expected version {VERSION}")
    group = MPI.COMM_NULL
    while (root := least(comm.rank if group == MPI.COMM_NULL else comm.size)) < comm.size:
        mine = name.encode()
        length = np.array(len(mine), dtype=np.intc)
        comm.Bcast(length, root)
        told = bytearray(mine if comm.rank == root else int(length))
        comm.Bcast([told, MPI.CHAR], root)
        found = comm.Split(0 if told == mine else MPI.UNDEFINED, comm.rank)
        if found != MPI.COMM_NULL:
            group = found
    return group


def serve_group(config: str, name: str) -> None:
    """Serves the sessions that models start on the communicator of the group, in a job of any other programs."""
    from mpi4py import MPI

    from tailrace import _core

    group = join_group(MPI.COMM_WORLD, name)
    if group.size == 1:
        raise HandshakeError(
            f"no other program of this job named the group {name!r} in its MPI handshake; a model that is to be served "
            f"calls yac_cmpi_handshake, or another implementation of the MPI handshake, with {name!r} among its groups"
        )
    _core.serve(config, group)
