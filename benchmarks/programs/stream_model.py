"""A model that computes the same in each step, and hands one field over.

    stream_model.py CONFIGURATION STEPS CELLS REPEATS

Its first rank prints `step FROM TO` for each step: seconds of the monotonic clock, from one end of a put to the next.
REPEATS: how often it goes through 64 KiB of numbers in a step.
"""

import sys
import time

import numpy as np
import tailrace
from mpi4py import MPI


def main() -> None:
    configuration, steps, cells, repeats = sys.argv[1], *map(int, sys.argv[2:])
    with tailrace.Session.start(MPI.COMM_WORLD, configuration, component="model") as io:
        if io.is_server():
            return
        io.grid("line", dims=["x"], shape=[cells], offset=[0], count=[cells])
        field = io.field("q", grid="line", units="1")
        io.ready()
        values, work = np.zeros(cells), np.linspace(0.0, 1.0, 8192)
        begin = time.monotonic()
        for step in range(1, steps + 1):
            for _ in range(repeats):
                work = np.sin(work)
            values[:] = step
            io.step(step, float(step))
            io.put(field, values)
            end = time.monotonic()
            print("step", begin, end)
            begin = end


main()
