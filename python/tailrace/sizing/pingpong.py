"""Two MPI processes that send messages to each other: python -m tailrace.sizing.pingpong, started by `measure`.

The first prints bytes a second, the seconds of a small message, and on how many nodes they are.
"""

import statistics
import time

import numpy as np
from mpi4py import MPI

from tailrace.sizing.measure import PREFIX

LARGE, SMALL = 8 << 20, 8  # bytes
TRIES = 9


def main() -> None:
    world = MPI.COMM_WORLD
    if world.size != 2:
        raise SystemExit(f"expected 2 processes, but got {world.size}")
    nodes = len(set(world.allgather(MPI.Get_processor_name())))
    large, small = exchange(world, LARGE), exchange(world, SMALL)
    if world.rank == 0:
        print(PREFIX, LARGE / large, small, nodes, flush=True)


def exchange(world: MPI.Intracomm, size: int) -> float:
    """Seconds of a message, the median of round trips."""
    buffer = np.zeros(size, dtype=np.uint8)
    times = []
    for _ in range(TRIES):
        world.Barrier()
        begin = time.perf_counter()
        if world.rank == 0:
            world.Send(buffer, 1)
            world.Recv(buffer, 1)
        else:
            world.Recv(buffer, 0)
            world.Send(buffer, 0)
        times.append(0.5 * (time.perf_counter() - begin))
    return statistics.median(times)


if __name__ == "__main__":
    main()
