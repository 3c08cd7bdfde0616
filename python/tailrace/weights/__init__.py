"""Weights of regridding: sparse rows, one for each target cell, from the cells of a source grid.

`tailrace weights make|show|check` uses this package, and so do servers, which run `python -m tailrace.weights.maker`.
It needs NumPy, SciPy and netCDF4, and YAC for what is not simple by construction: `pip install tailrace[regrid]`.
docs/formats/weights.md describes the file, docs/guide/weights.md the command.
"""

from .errors import WeightsError

__all__ = ["WeightsError"]
