"""Expected values of regridded records: from the weights of the cache, and from the areas where cells overlap."""

from __future__ import annotations

from pathlib import Path

import netCDF4
import numpy as np


def weights(folder: Path) -> np.ndarray:
    """The only file of the cache as a dense matrix (target, source)."""
    (path,) = folder.glob("cache/*.nc")
    with netCDF4.Dataset(path) as data:
        shape = len(data.dimensions["dst_grid_size"]), len(data.dimensions["src_grid_size"])
        matrix = np.zeros(shape)
        matrix[data["dst_address"][:] - 1, data["src_address"][:] - 1] = data["remap_matrix"][:, 0]
    return matrix


def mean_of_valid(matrix: np.ndarray, values: np.ndarray, coverage: float = 0.5) -> np.ndarray:
    """(level, cell) of the source to the same of the target, as fracarea."""
    valid = np.isfinite(values)
    share = valid @ matrix.T
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (np.where(valid, values, 0.0) @ matrix.T) / share
    return np.where((share > 0) & (share >= coverage - 1e-6), means, np.nan)


def edges(centres: np.ndarray) -> np.ndarray:
    middle = (centres[1:] + centres[:-1]) / 2
    step = np.diff(centres)
    return np.concatenate(([centres[0] - step[0] / 2], middle, [centres[-1] + step[-1] / 2]))


def shares(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """How much of each target cell along one dim each source cell covers, in lengths."""
    a, b = np.sort(np.stack((source[:-1], source[1:])), 0), np.sort(np.stack((target[:-1], target[1:])), 0)
    return np.clip(np.minimum(b[1][:, None], a[1]) - np.maximum(b[0][:, None], a[0]), 0, None)


def boxes(values: np.ndarray, lat: np.ndarray, lon: np.ndarray, target_lat: np.ndarray, target_lon: np.ndarray):
    """The mean over each target cell of a file that covers the whole Earth, by the areas of overlaps."""
    north = shares(*(np.sin(np.radians(np.clip(edges(one), -90, 90))) for one in (lat, target_lat)))
    east = sum(shares(edges(lon) + turn, edges(target_lon)) for turn in (-360.0, 0.0, 360.0))
    return (north @ values @ east.T) / (north.sum(1)[:, None] * east.sum(1))
