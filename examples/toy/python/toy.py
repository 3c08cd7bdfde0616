"""A blob that the wind carries around a periodic plane: a small model with ranks, halos and steps of varying length.

The same in examples/toy/{c,cpp,fortran,python}.
"""

import sys

import numpy as np
import tailrace
from mpi4py import MPI

NX, NY = 48, 30
SPACING, U, V, T_END = 100.0, 80.0, 40.0, 20.0


class Model:
    """Rows 1 to nyl are this rank's; row 0 and column 0 are the halo on the sides that the wind comes from."""

    def __init__(self, comm):
        self.comm = comm
        self.y0 = comm.rank * NY // comm.size
        self.nyl = (comm.rank + 1) * NY // comm.size - self.y0
        x = (((np.arange(NX) + 1) - 0.5) - 12.0) / 8.0
        y = (((np.arange(self.nyl) + 1 + self.y0) - 0.5) - 10.0) / 8.0
        bump = 1.0 - (x * x + (y * y)[:, None])
        self.h = np.zeros((self.nyl + 1, NX + 1))
        self.interior[:] = np.where(bump > 0.0, bump * bump, 0.0)

    @property
    def interior(self):
        return self.h[1:, 1:]

    def fill_halo(self):
        north, south = (self.comm.rank + 1) % self.comm.size, (self.comm.rank - 1) % self.comm.size
        self.comm.Sendrecv(self.h[-1].copy(), dest=north, recvbuf=self.h[0], source=south)
        self.h[:, 0] = self.h[:, -1]

    def advance(self, dt):
        cx, cy = U * dt / SPACING, V * dt / SPACING
        self.fill_halo()
        h, west, south = self.h[1:, 1:], self.h[1:, :-1], self.h[:-1, 1:]
        self.interior[:] = h - cx * (h - west) - cy * (h - south)

    def largest(self):
        return self.comm.allreduce(self.interior.max(initial=0.0), op=MPI.MAX)


def declare(io, model):
    io.grid("plane", dims=["y", "x"], shape=[NY, NX], offset=[model.y0, 0], count=[model.nyl, NX])
    io.coordinate("plane", "y", (np.arange(NY) + 0.5) * SPACING, units="m")
    io.coordinate("plane", "x", (np.arange(NX) + 0.5) * SPACING, units="m")
    io.field("h", grid="plane", units="m", long_name="height of the blob")
    io.field("h_max", units="m", long_name="largest height")
    io.ready()


def main(configuration):
    with tailrace.Session.start(MPI.COMM_WORLD, configuration, component="toy") as io:
        if io.is_server():
            return
        model = Model(io.model_comm())
        declare(io, model)
        t, step = 0.0, 0
        while t < T_END:
            step += 1
            dt = 0.2 * (1 + step % 3)
            model.advance(dt)
            t = t + dt
            io.step(step, t)
            if io.wants("h"):
                io.put("h", model.interior)
            if io.wants("h_max"):
                io.put("h_max", model.largest())


main(sys.argv[1] if len(sys.argv) > 1 else "toy.yaml")
