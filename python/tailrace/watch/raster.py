"""Cells of meshes, of HEALPix and of curvilinear grids on a map of latitudes and longitudes: the nearest cell of each
pixel. HEALPix needs no search; elsewhere a pixel that lies outside all cells nearby is left empty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tailrace.weights import healpix
from tailrace.weights.errors import need
from tailrace.weights.grids import Grid, Healpix
from tailrace.weights.reach import largest_radius
from tailrace.weights.sphere import Floats, to_xyz

ROWS, COLUMNS = 240, 480  # of a map of the whole sphere
MARGIN = 1.02  # of the bounding box, and of the radius of the largest cell


@dataclass(frozen=True)
class Raster:
    lat: Floats  # north first
    lon: Floats
    cell: np.ndarray  # (lat, lon); -1: none

    def draw(self, values: np.ndarray) -> np.ndarray:
        drawn = values.astype(np.float64).ravel()[np.maximum(self.cell, 0)]
        return np.where(self.cell < 0, np.nan, drawn)


def make_raster(grid: Grid) -> Raster:
    if isinstance(grid, Healpix):
        return _healpix(grid)
    lat, lon = grid.centres()
    south, north = _span(lat, 90.0)
    lon = (lon + 180.0) % 360.0 - 180.0
    west, east = _span(lon, 180.0)
    lats, lons = _pixels(south, north, west, east)
    points = _points(lats, lons)
    tree = need("scipy.spatial", "a map of a mesh").cKDTree(grid.points)
    distance, nearest = tree.query(points)
    radius = largest_radius(grid)
    if radius == 0.0:  # without corners: about the distance between cells
        radius = float(np.max(tree.query(grid.points, k=min(2, grid.cells))[0]))
    cell = np.where(distance <= MARGIN * radius, nearest, -1)
    return Raster(lats, lons, cell.reshape(len(lats), len(lons)))


def _healpix(grid: Healpix) -> Raster:
    lats, lons = _pixels(-90.0, 90.0, -180.0, 180.0)
    cell = grid.from_nested(healpix.cell_of_points(grid.level, _points(lats, lons)))
    return Raster(lats, lons, cell.reshape(len(lats), len(lons)))


def _span(values: Floats, most: float) -> tuple[float, float]:
    low, high = float(np.min(values)), float(np.max(values))
    margin = max(0.05 * (high - low), 0.01)
    return max(low - margin, -most), min(high + margin, most)


def _pixels(south: float, north: float, west: float, east: float) -> tuple[Floats, Floats]:
    rows = ROWS if north - south > 90.0 else ROWS // 2
    columns = int(np.clip(rows * (east - west) / (north - south), 16, COLUMNS))
    lats = north - (np.arange(rows) + 0.5) * (north - south) / rows
    return lats, west + (np.arange(columns) + 0.5) * (east - west) / columns


def _points(lats: Floats, lons: Floats) -> Floats:
    lat, lon = np.meshgrid(lats, lons, indexing="ij")
    return to_xyz(lat.ravel(), lon.ravel())
