"""Reads the output of a job step by step as xarray Datasets, during the run and afterwards.

    for step in tailrace.stream("profiles.nc", fields=["theta"], region={"z": slice(0, 2000)}, timeout=60):
        step.theta.plot()

Pure Python with xarray and a reader of the format: h5netcdf or netCDF4 for NetCDF, zarr for Zarr, adios2 for BP and SST
(`pip install 'tailrace[readers]'`, `'tailrace[adios2]'`). It needs neither MPI nor the libraries of the job.
"""

from .errors import JobEnded, StreamError, StreamTimeout
from .open import stream

__all__ = ["JobEnded", "StreamError", "StreamTimeout", "stream"]
