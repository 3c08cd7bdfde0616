"""Kinetic energy by the degree of spherical harmonics, from the winds in the cells of a file of the model:

spectrum.py FILE RESULT [DEGREE]

RESULT is a picture (.png) of the last record, or a table (.csv) of all records. DEGREE is the highest degree, by
default half the square root of the number of cells: some 3.5 cells in the shortest wave. RESULT is replaced if it is
there.

With harmonics Y of degree n and order m, orthonormal on the unit sphere, the wind has the coefficients
    b = sum(area wind . grad(conj Y)) / sqrt(n (n + 1))               of its divergent part,
    c = sum(area wind . (up x grad(conj Y))) / sqrt(n (n + 1))        of its rotational part,
and sum(abs(b)^2 + abs(c)^2 over m) / (8 pi) is the energy of degree n for a unit of mass (m2 s-2). The energies of all
degrees make the mean over the sphere of wind^2 / 2. The sums over cells are of second order in the size of a cell, so
the highest degrees are less exact than the others.
"""

import csv
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import netCDF4
import numpy as np
from plot import PROGRAM, field_in_cells, opened, refuse_picture

WINDS = ("zonal_wind", "meridional_wind")


def on_sphere(lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
    """Places in degrees as unit vectors, along the last axis."""
    lon, lat = np.radians(lon), np.radians(lat)
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=-1)


def areas(data: netCDF4.Dataset, mesh: netCDF4.Variable, centre: np.ndarray) -> np.ndarray:
    """The areas of the cells on the unit sphere: triangles between the centre and two corners."""
    corners = np.ma.filled(data[mesh.face_node_connectivity][:], -1)
    nodes = on_sphere(*(np.asarray(data[name][:]) for name in mesh.node_coordinates.split()))
    missing = corners < 0
    corners = np.where(missing, corners[:, :1], corners)  # the first one again: no area
    total = np.zeros(len(centre))
    for k in range(corners.shape[1]):
        a, b = nodes[corners[:, k]], nodes[corners[:, (k + 1) % corners.shape[1]]]
        volume = np.einsum("ij,ij->i", centre, np.cross(a, b))
        sides = 1 + sum(np.einsum("ij,ij->i", p, q) for p, q in ((centre, a), (a, b), (b, centre)))
        total += 2 * np.arctan2(volume, sides)  # van Oosterom and Strackee 1983
    return total


def legendre(order: int, highest: int, sine: np.ndarray, cosine: np.ndarray):
    """Degrees n from the order on: n, P / cosine, dP / dlat. P exp(i order lon) is orthonormal."""
    p = np.full_like(sine, np.sqrt(1 / (4 * np.pi)))
    for m in range(1, order + 1):
        p = p * cosine * np.sqrt((2 * m + 1) / (2 * m))
    before = np.zeros_like(p)
    for n in range(order, highest + 1):
        if n > order:
            a = np.sqrt((4 * n**2 - 1) / (n**2 - order**2))
            b = np.sqrt(((n - 1) ** 2 - order**2) / (4 * (n - 1) ** 2 - 1))
            p, before = a * (sine * p - b * before), p
        c = np.sqrt((2 * n + 1) * (n**2 - order**2) / (2 * n - 1)) if n > order else 0
        yield n, p / cosine, (c * before - n * sine * p) / cosine


def energies(lon: np.ndarray, lat: np.ndarray, area: np.ndarray, wind: np.ndarray, highest: int) -> np.ndarray:
    """(2, degree) of the rotational and the divergent part. wind: (2, cell), to the east and the north."""
    sine = np.sin(np.radians(lat))
    cosine = np.maximum(np.cos(np.radians(lat)), 1e-8)  # beside a pole, where the directions are those of its cell
    east, north = wind * area
    found = np.zeros((2, highest + 1))
    for m in range(highest + 1):
        turned = np.exp(-1j * m * np.radians(lon))
        parts = np.stack([east * turned, north * turned])
        columns = np.concatenate([parts.real, parts.imag])
        for n, over_cosine, slope in legendre(m, highest, sine, cosine):
            if n == 0:
                continue
            by_lon, by_lat = columns @ over_cosine, columns @ slope
            along = (
                -1j * m * (by_lon[:2] + 1j * by_lon[2:])
            )  # of east and north with the derivative of conj Y to the east
            across = by_lat[:2] + 1j * by_lat[2:]
            both = np.array([along[1] - across[0], along[0] + across[1]])
            found[:, n] += (1 if m == 0 else 2) * np.abs(both) ** 2 / (n * (n + 1))
    return found / (8 * np.pi)


def whole(path: str, wind: netCDF4.Variable, record: int) -> np.ndarray:
    values = np.ma.filled(wind[record], np.nan)
    if not np.isfinite(values).all():
        sys.exit(f"{PROGRAM}: {path}: {wind.name} has missing values; a spectrum needs all cells")
    return values


def draw(found: np.ndarray, day: float, picture: str) -> None:
    degree = np.arange(1, found.shape[1])
    figure, axes = plt.subplots(figsize=(6, 4.5), layout="constrained")
    for values, label in ((found.sum(0), "all"), (found[0], "rotational"), (found[1], "divergent")):
        axes.loglog(degree, values[1:], label=label)
    # Waves that are symmetric about the equator have every second degree of each part, but for rounding.
    axes.set_ylim(bottom=1e-9 * found.max())
    axes.set(xlabel="degree", ylabel="kinetic energy for a unit of mass (m² s⁻²)", title=f"day {day:g}")
    axes.legend()
    figure.savefig(picture, dpi=130)


def write_table(path: str, times: np.ndarray, spectra: list[np.ndarray]) -> None:
    with Path(path).open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["seconds", "degree", "rotational", "divergent"])
        for time, found in zip(times, spectra, strict=True):
            for degree in range(1, found.shape[1]):
                table.writerow([time, degree, *found[:, degree]])


def main() -> None:
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    path, result = sys.argv[1:3]
    refuse_picture(result, ".png", ".csv")
    with opened(path) as data:
        winds = [field_in_cells(data, path, name) for name in WINDS]
        dim, time = winds[0].dimensions[-1], winds[0].dimensions[0]
        lon, lat = (np.asarray(data[f"{dim}_{name}"][:]) for name in ("lon", "lat"))
        given = sys.argv[3] if len(sys.argv) == 4 else str(max(int(np.sqrt(lon.size) / 2), 1))
        if not given.isdecimal() or not 1 <= int(given) <= np.sqrt(lon.size):
            sys.exit(f"{PROGRAM}: {given}: expected a degree from 1 to {int(np.sqrt(lon.size))}")
        area = areas(data, data[winds[0].mesh], on_sphere(lon, lat))
        records = range(len(data[time])) if result.endswith(".csv") else [-1]
        spectra = [
            energies(lon, lat, area, np.stack([whole(path, wind, record) for wind in winds]), int(given))
            for record in records
        ]
        times = np.asarray(data[time][:])
    if result.endswith(".csv"):
        write_table(result, times, spectra)
    else:
        draw(spectra[0], times[-1] / 86400, result)


if __name__ == "__main__":
    main()
