"""A map of a test function on the source, on the target, and of its error."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .errors import WeightsError, need
from .foreign import Foreign
from .rows import Rows
from .sphere import Floats, to_xyz
from .summary import test_function

WIDTH, HEIGHT = 720, 360  # points of the whole Earth


def draw(weights: Foreign, rows: Rows, path: Path, name: Path) -> None:
    """Each point of the map has the value of the nearest cell, and none where no cell is near. `path`: the new file,
    in the format of the suffix, by default PNG; `name`: what messages call it."""
    if weights.source.centres is None or weights.target.centres is None:
        raise WeightsError(f"{weights.path}: has no coordinates, which a picture needs")
    from matplotlib.figure import Figure

    sums, filled = rows.sums(), np.diff(rows.start) > 0
    values = test_function(*weights.source.centres)
    result = np.where(filled, rows.apply_to(values) / np.where(filled, sums, 1.0), np.nan)
    error = result - test_function(*weights.target.centres)
    lat, lon = _points(*weights.target.centres)
    limits = {"vmin": float(values.min()), "vmax": float(values.max())}
    most = float(np.nanmax(np.abs(error))) if filled.any() else 1.0
    panels = (
        ("source", weights.source.centres, values, "viridis", limits),
        ("target", weights.target.centres, result, "viridis", limits),
        ("target minus the function", weights.target.centres, error, "RdBu_r", {"vmin": -most, "vmax": most or 1.0}),
    )
    figure = Figure(figsize=(8, 10.5), layout="constrained")
    for axes, (title, centres, field, colours, span) in zip(figure.subplots(3), panels, strict=True):
        image = axes.imshow(
            _raster(centres, field, lat, lon), origin="lower", aspect="auto", cmap=colours, interpolation="nearest",
            extent=(lon[0], lon[-1], lat[0], lat[-1]), **span,
        )  # fmt: skip
        axes.set_title(f"{title}: {len(field)} cells", fontsize=10)
        axes.set_ylabel("latitude")
        figure.colorbar(image, ax=axes)
    axes.set_xlabel("longitude")
    figure.suptitle(f"{weights.path.name}: {weights.map_method or 'method not named'}", fontsize=11)
    try:
        figure.savefig(path, dpi=110, format=path.suffix[1:] or "png")
    except (OSError, ValueError) as error_of_file:
        raise WeightsError(f"{name}: the picture cannot be written: {error_of_file}") from None


def _points(lat: Floats, lon: Floats) -> tuple[Floats, Floats]:
    """The latitudes and longitudes of a map of the target, or of the whole Earth."""
    turned = (lon + 180.0) % 360.0 - 180.0
    wide = max(np.ptp(turned), 0.1)
    west, east = (-180.0, 180.0) if wide > 180.0 else (turned.min() - 0.05 * wide, turned.max() + 0.05 * wide)
    margin = 0.05 * max(np.ptp(lat), 0.1)
    south, north = max(lat.min() - margin, -90.0), min(lat.max() + margin, 90.0)
    return np.linspace(south, north, HEIGHT), np.linspace(west, east, WIDTH)


def _raster(centres: tuple[Floats, Floats], values: Floats, lat: Floats, lon: Floats) -> Floats:
    tree = need("scipy.spatial", "a picture").cKDTree(to_xyz(*centres))
    points = to_xyz(*np.meshgrid(lat, lon, indexing="ij")).reshape(-1, 3)
    some = tree.data[:: max(len(values) // 1000, 1)]
    spacing = np.median(tree.query(some, k=2)[0][:, 1]) if len(values) > 1 else 2.0
    distance, number = tree.query(points)
    return np.where(distance <= 3.0 * max(spacing, 1e-9), values[number], np.nan).reshape(len(lat), len(lon))
