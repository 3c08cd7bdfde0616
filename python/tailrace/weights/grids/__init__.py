"""Grids as the makers of weights need them: centres, corners and areas of cells, numbered from 0 in C order."""

from .cells import Cells
from .grid import Grid
from .healpix import Healpix
from .lat_lon import LatLon, gaussian

__all__ = ["Cells", "Grid", "Healpix", "LatLon", "gaussian"]
