"""Draws a field of the model on its hexagons, in longitude and latitude:

plot.py FILE FIELD PICTURE        the last record as PNG; every record as an animation if PICTURE ends with .gif
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import netCDF4
import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.collections import PolyCollection


def hexagons(data: netCDF4.Dataset) -> tuple[np.ndarray, list[np.ndarray]]:
    """The faces that can be drawn, all but those at the poles, and their corners in degrees."""
    nodes = np.ma.filled(data["mesh_face_nodes"][:], -1)
    x, y, centre, latitude = (data[name][:] for name in ("mesh_node_x", "mesh_node_y", "cell_lon", "cell_lat"))
    faces, polygons = [], []
    for face, corners in enumerate(nodes):
        there = corners[corners >= 0]
        if abs(latitude[face]) == 90:
            continue
        lon = centre[face] + (x[there] - centre[face] + 180) % 360 - 180  # on the side of the centre
        for shift in (0, -360, 360):  # what crosses an edge of the picture is drawn at both
            if shift == 0 or ((lon + shift < 180).any() and (lon + shift > -180).any()):
                faces.append(face)
                polygons.append(np.stack([lon + shift, y[there]], axis=1))
    return np.array(faces), polygons


def main() -> None:
    path, name, picture = sys.argv[1:]
    with netCDF4.Dataset(path) as data:
        faces, polygons = hexagons(data)
        values, days = data[name][:][:, faces], data["time"][:] / 86400
        label = f"{data[name].long_name} ({data[name].units})"
    figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
    drawn = PolyCollection(polygons, array=values[-1], cmap="viridis", edgecolors="face", linewidths=0.2)
    drawn.set_clim(values.min(), values.max())
    axes.add_collection(drawn)
    axes.set(xlim=(-180, 180), ylim=(-90, 90), xlabel="longitude", ylabel="latitude", title=f"day {days[-1]:g}")
    figure.colorbar(drawn, label=label)

    def show(record: int) -> None:
        drawn.set_array(values[record])
        axes.set_title(f"day {days[record]:g}")

    if picture.endswith(".gif"):
        FuncAnimation(figure, show, frames=len(days)).save(picture, PillowWriter(fps=5))
    else:
        figure.savefig(picture, dpi=130)


main()
