"""A model of one rank for the tests of `tailrace watch`: values that anyone can compute again, on each kind of grid.

    globe.py CONFIGURATION STEPS PAUSE [SHIFT]

At each step of 10 s all fields have the value `step + SHIFT + sin(latitude)`; a level adds 100 of its number.
After each step the model waits PAUSE seconds, or with PAUSE `-` until there is a file `go.STEP`, or `go`.
"""

import sys
import time
from pathlib import Path

import numpy as np
import tailrace
from mpi4py import MPI
from tailrace.weights import healpix

LAT = np.linspace(-87.0, 87.0, 30)
LON = np.arange(0.0, 360.0, 8.0) + 4.0
HEIGHT = np.array([100.0, 400.0, 1600.0, 6400.0])
LEVEL = 3
UPWARDS = {"axis": "Z", "positive": "up"}


def quads() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes (longitude, latitude) and faces of a mesh of quadrilaterals over part of the sphere."""
    lon, lat = np.meshgrid(np.arange(-60.0, 61.0, 10.0), np.arange(-40.0, 41.0, 8.0))
    rows, columns = lon.shape
    first = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    faces = np.stack((first, first + 1, first + columns + 1, first + columns), axis=1)
    return lon.ravel(), lat.ravel(), faces


def declare(io) -> dict[str, np.ndarray]:
    """The fields, and of each its part that does not change."""
    io.grid("globe", dims=["height", "lat", "lon"], shape=[len(HEIGHT), len(LAT), len(LON)])
    io.coordinate("globe", "lat", LAT, units="degrees_north", standard_name="latitude")
    io.coordinate("globe", "lon", LON, units="degrees_east", standard_name="longitude")
    io.coordinate(
        "globe", "height", HEIGHT, units="m", standard_name="height", attributes={"axis": "Z", "positive": "up"}
    )
    io.healpix_grid("pix", level=LEVEL, cells=np.arange(12 << (2 * LEVEL)))
    lon, lat, faces = quads()
    io.grid("quads", dims=["face"], shape=[len(faces)], indexed_dim="face", indices=np.arange(len(faces)))
    io.mesh("quads", lon, lat, faces)
    io.grid("column", dims=["height"], shape=[len(HEIGHT)])
    io.coordinate(
        "column", "height", HEIGHT, units="m", standard_name="height", attributes={"axis": "Z", "positive": "up"}
    )
    for name, grid in (("ta", "globe"), ("hp", "pix"), ("me", "quads"), ("column_mean", "column")):
        io.field(name, grid=grid, units="K")
    io.field("energy", units="J")
    levels = 100.0 * np.arange(len(HEIGHT))
    pix_lat, _ = healpix.centres(LEVEL, np.arange(12 << (2 * LEVEL)))
    return {
        "ta": levels[:, None, None] + np.sin(np.radians(LAT))[:, None] + np.zeros(len(LON)),
        "hp": np.sin(np.radians(pix_lat)),
        "me": np.sin(np.radians(lat[faces].mean(axis=1))),
        "column_mean": levels,
        "energy": np.zeros(()),
    }


def wait(step: int, pause: str) -> None:
    if pause != "-":
        time.sleep(float(pause))
        return
    while not (Path(f"go.{step}").exists() or Path("go").exists()):
        time.sleep(0.02)


def main() -> None:
    configuration, steps, pause, shift = [*sys.argv[1:], "0"][:4]
    with tailrace.Session.start(MPI.COMM_WORLD, configuration, component="globe") as io:
        fixed = declare(io)
        io.ready()
        for step in range(1, int(steps) + 1):
            io.step(step, 10.0 * step)
            for name, values in fixed.items():
                io.put(name, values + step + float(shift))
            wait(step, pause)


if __name__ == "__main__":
    main()
