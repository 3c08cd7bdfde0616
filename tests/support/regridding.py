"""The expected contents of regridded files: rows of weights that a job left in its cache, used with NumPy."""

from dataclasses import dataclass
from pathlib import Path

import netCDF4
import numpy as np


@dataclass
class Weights:
    """Rows of a file in SCRIP's layout; cells from 0."""

    source: np.ndarray
    target: np.ndarray
    weight: np.ndarray
    source_cells: int
    target_cells: int

    @classmethod
    def of_file(cls, path: Path) -> "Weights":
        with netCDF4.Dataset(path) as data:
            data.set_auto_mask(False)
            extents = (int(np.prod(data[name][:])) for name in ("src_grid_dims", "dst_grid_dims"))
            addresses = (data[name][:].astype(np.int64) - 1 for name in ("src_address", "dst_address"))
            return cls(*addresses, data["remap_matrix"][:, 0].astype(np.float64), *extents)

    def apply(self, values: np.ndarray, coverage: float = 0.5, destarea: bool = False) -> np.ndarray:
        """Values (..., target cells) of values (..., source cells) with NaN where one is missing."""
        flat = values.reshape(-1, values.shape[-1])
        sums, shares = (np.zeros((len(flat), self.target_cells)) for _ in range(2))
        for row, cells in enumerate(flat):
            x = cells[self.source]
            valid = ~np.isnan(x)
            sums[row] = np.bincount(self.target[valid], (self.weight * x)[valid], self.target_cells)
            shares[row] = np.bincount(self.target[valid], self.weight[valid], self.target_cells)
        with np.errstate(divide="ignore", invalid="ignore"):
            made = sums if destarea else sums / shares
        made[(shares < coverage - 1e-6) | (shares == 0)] = np.nan
        return made.reshape(*values.shape[:-1], self.target_cells)

    def shares(self, valid: np.ndarray) -> np.ndarray:
        """The valid share of each target cell; `valid`: of each source cell."""
        return np.bincount(self.target, self.weight * valid[self.source], self.target_cells)


def is_of(path: Path, method: str, source_cells: int, target_cells: int) -> bool:
    """Whether a file of weights has that method and, unless 0, these numbers of cells."""
    with netCDF4.Dataset(path) as data:
        cells = [int(np.prod(data[name][:])) for name in ("src_grid_dims", "dst_grid_dims")]
        return data.tailrace_method == method and all(
            wanted in (0, has) for wanted, has in zip((source_cells, target_cells), cells, strict=True)
        )


def weights_of(folder: Path, method: str, source_cells: int = 0, target_cells: int = 0) -> Weights:
    """The only such file in the cache of a job."""
    cached = sorted((folder / ".tailrace" / "weights").glob("*.nc"))
    found = [path for path in cached if is_of(path, method, source_cells, target_cells)]
    assert len(found) == 1, (method, source_cells, target_cells, found)
    return Weights.of_file(found[0])


def lat_lon_grid(name: str = "globe", shape: tuple[int, ...] = (3, 13, 24), dims=("z", "lat", "lon")) -> dict:
    """A global grid of the player; without levels for a shape of two extents."""
    rows, columns = shape[-2:]
    dims = dims[-len(shape) :]
    coordinates = [
        {"name": dims[-2], "units": "degrees_north", "standard_name": "latitude", "vertices": 2}
        | {"first": -90 + 90 / rows, "spacing": 180 / rows},
        {"name": dims[-1], "units": "degrees_east", "standard_name": "longitude", "vertices": 2}
        | {"first": 180 / columns, "spacing": 360 / columns},
    ]
    if len(shape) == 3:
        coordinates.insert(0, {"name": dims[0], "units": "m", "standard_name": "height", "spacing": 50.0})
        coordinates[0]["attributes"] = {"axis": "Z", "positive": "up"}
    grid = dict(name=name, kind="block", dims=list(dims), shape=list(shape), split=list(dims[-2:]))
    return grid | {"coordinates": coordinates}


def nest_grid(name: str, shape: tuple[int, ...], south: float, west: float, spacing: float) -> dict:
    """The same with square boxes from the corner (south, west), all in degrees."""
    grid = lat_lon_grid(name, shape)
    for coordinate, edge in zip(grid["coordinates"][-2:], (south, west), strict=True):
        coordinate |= {"first": edge + spacing / 2, "spacing": spacing}
    return grid


def areas_of(rows: int, columns: int) -> np.ndarray:
    """The areas of the cells of `lat_lon_grid`, in C order; all together 1."""
    edges = np.sin(np.radians(np.linspace(-90, 90, rows + 1)))
    return np.repeat(np.diff(edges) / 2 / columns, columns)
