"""Draws a field of the model on the cells of its mesh, in longitude and latitude:

plot.py FILE FIELD PICTURE [LEVEL]      the last record as PNG; every record as an animation if PICTURE ends with .gif

LEVEL counts from 1, for fields with levels. PICTURE is replaced if it is there.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import netCDF4
import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.collections import PolyCollection

PROGRAM = Path(sys.argv[0]).name  # spectrum.py uses the functions here, too


def polygons_of(data: netCDF4.Dataset, mesh: netCDF4.Variable, dim: str) -> tuple[np.ndarray, list[np.ndarray]]:
    """The faces that can be drawn, all but those at the poles, and their corners in degrees."""
    nodes = np.ma.filled(data[mesh.face_node_connectivity][:], -1)
    x, y = (data[name][:] for name in mesh.node_coordinates.split())
    centre, latitude = data[f"{dim}_lon"][:], data[f"{dim}_lat"][:]
    faces, polygons = [], []
    for face, corners in enumerate(nodes):
        there = corners[corners >= 0]
        if 90 in (abs(latitude[face]), np.abs(y[there]).max()):
            continue
        lon = centre[face] + (x[there] - centre[face] + 180) % 360 - 180  # on the side of the centre
        for shift in (0, -360, 360):  # what crosses an edge of the picture is drawn at both
            if shift == 0 or ((lon + shift < 180).any() and (lon + shift > -180).any()):
                faces.append(face)
                polygons.append(np.stack([lon + shift, y[there]], axis=1))
    return np.array(faces), polygons


def draw(data: netCDF4.Dataset, field: netCDF4.Variable, picture: str, level: int) -> None:
    faces, polygons = polygons_of(data, data[field.mesh], field.dimensions[-1])
    values = field[:, level - 1] if field.ndim == 3 else field[:]
    values, days = values[:, faces], data[field.dimensions[0]][:] / 86400
    figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
    drawn = PolyCollection(polygons, array=values[-1], cmap="viridis", edgecolors="face", linewidths=0.2)
    drawn.set_clim(values.min(), values.max())
    axes.add_collection(drawn)
    axes.set(xlim=(-180, 180), ylim=(-90, 90), xlabel="longitude", ylabel="latitude", title=f"day {days[-1]:g}")
    figure.colorbar(drawn, label=f"{field.long_name} ({field.units})")

    def show(record: int) -> None:
        drawn.set_array(values[record])
        axes.set_title(f"day {days[record]:g}")

    if picture.endswith(".gif"):
        FuncAnimation(figure, show, frames=len(days)).save(picture, PillowWriter(fps=5))
    else:
        figure.savefig(picture, dpi=130)


def refuse_picture(picture: str, *endings: str) -> None:
    """Ends the program if no file with this name can be made."""
    if not picture.endswith(endings):
        sys.exit(f"{PROGRAM}: {picture}: expected a name that ends with {' or '.join(endings)}")
    if not Path(picture).absolute().parent.is_dir():
        sys.exit(f"{PROGRAM}: {picture}: the folder is missing")


def opened(path: str) -> netCDF4.Dataset:
    if not Path(path).exists():
        sys.exit(f"{PROGRAM}: {path}: there is no such file")
    try:
        return netCDF4.Dataset(path)
    except OSError as error:
        sys.exit(f"{PROGRAM}: {path}: cannot be read: {error.strerror}")


def field_in_cells(data: netCDF4.Dataset, path: str, name: str) -> netCDF4.Variable:
    """The field, which has records and is in the cells of a mesh; another one ends the program."""
    if name not in data.variables:
        sys.exit(f"{PROGRAM}: {path}: no field {name}; there are: {', '.join(data.variables)}")
    field = data[name]
    if getattr(field, "location", "") != "face":
        sys.exit(f"{PROGRAM}: {path}: {name} is not in the cells of a mesh; expected a field that is")
    if field.ndim < 2 or field.shape[0] == 0:
        sys.exit(f"{PROGRAM}: {path}: {name} has no records; expected a field that changes")
    return field


def level_of(field: netCDF4.Variable, given: str) -> int:
    if not given.isdecimal() or not 1 <= int(given) <= (field.shape[1] if field.ndim == 3 else 1):
        sys.exit(f"{PROGRAM}: {given}: expected the number of a level of {field.name}, from 1")
    return int(given)


def main() -> None:
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    path, name, picture = sys.argv[1:4]
    refuse_picture(picture, ".png", ".gif")
    with opened(path) as data:
        field = field_in_cells(data, path, name)
        draw(data, field, picture, level_of(field, sys.argv[4] if len(sys.argv) == 5 else "1"))


if __name__ == "__main__":
    main()
