"""A model that YAC alone couples to a program, which writes means as a pyramid of HEALPix. `benchmarks/regrid.py`
compares with it. Rank 0 is the model, rank 1 the program.

python yac_pyramid.py MESH STEPS EVERY LEVELS FINEST COARSER

The model puts a field with LEVELS levels on the cells of the file MESH at each of STEPS steps. YAC averages EVERY of
them and interpolates the mean by conservative weights, which it makes before the first step. The program writes the
mean on HEALPix of level FINEST, and COARSER coarser ones, each to a file of its own. Prints `done SECONDS`, from the
first step until the files are closed.
"""

import sys
import time
from datetime import datetime, timedelta

import netCDF4
import numpy as np
import yac
from mpi4py import MPI
from tailrace.yac.grids import OwnGrid

STEP = 600  # seconds
START = datetime(2026, 1, 1)


def grid_of_rank(rank: int, mesh: str, finest: int) -> OwnGrid:
    if rank == 0:
        return OwnGrid("ico", {"place": mesh, "target": {"kind": "file", "path": mesh}}, 0, 1)
    return OwnGrid("ball", {"place": "", "target": {"kind": "healpix", "level": finest, "order": "nested"}}, 0, 1)


def couple(coupler: yac.YAC, every: int) -> None:
    rows = yac.InterpolationStack()
    rows.add_conservative(partial_coverage=True)
    average = yac.Reduction.TIME_AVERAGE
    period = str(every * STEP)
    coupler.def_couple("model", "ico", "t", "writer", "ball", "t", period, yac.TimeUnit.SECOND, average, rows)


def compute(field: yac.Field, steps: int, shape: tuple[int, int]) -> None:
    values = np.full(shape, 280.0)
    field.put(values)  # the time of the start, at which YAC exchanges too
    MPI.COMM_WORLD.barrier()
    for _ in range(steps):
        field.put(values)


def halves(level: int, values: np.ndarray, coarser: int):
    """The values of each level of the pyramid, with the level's number."""
    yield level, values
    for below in range(level - 1, level - 1 - coarser, -1):
        values = values.reshape(len(values), -1, 4).mean(axis=2)
        yield below, values


def write(field: yac.Field, records: int, levels: int, finest: int, coarser: int) -> float:
    field.get()
    files = {}
    for level in range(finest, finest - 1 - coarser, -1):
        file = files[level] = netCDF4.Dataset(f"by_yac_z{level}.nc", "w")
        for name, size in (("time", None), ("level", levels), ("cell", 12 * 4**level)):
            file.createDimension(name, size)
        file.createVariable("t", "f4", ("time", "level", "cell"), chunksizes=(1, levels, 12 * 4**level))
    MPI.COMM_WORLD.barrier()
    begin = time.perf_counter()
    for record in range(records):
        for level, values in halves(finest, field.get()[0], coarser):
            files[level]["t"][record] = values
    for file in files.values():
        file.close()
    return time.perf_counter() - begin


def main() -> None:
    mesh, *numbers = sys.argv[1:]
    steps, every, levels, finest, coarser = map(int, numbers)
    rank = MPI.COMM_WORLD.rank
    coupler = yac.YAC()
    yac.def_calendar(yac.Calendar.PROLEPTIC_GREGORIAN)
    coupler.def_datetime(START.isoformat(), (START + timedelta(seconds=steps * STEP)).isoformat())
    component = coupler.def_comp(("model", "writer")[rank])
    grid = grid_of_rank(rank, mesh, finest)
    timestep = str(STEP if rank == 0 else every * STEP)
    field = yac.Field.create("t", component, grid.define(), levels, timestep, yac.TimeUnit.SECOND)
    couple(coupler, every)
    coupler.enddef()
    if rank == 0:
        compute(field, steps, (levels, grid.count))
    else:
        print(f"done {write(field, steps // every, levels, finest, coarser):.6f}")
    coupler.cleanup()


main()
