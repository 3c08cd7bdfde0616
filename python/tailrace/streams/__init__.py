"""What a job writes, step by step, as xarray Datasets: while it runs, and afterwards.

    for step in tailrace.stream("profiles.nc", fields=["theta"], region={"z": slice(0, 2000)}, timeout=60):
        step.theta.plot()

Pure Python with xarray, and a reader for what is read: h5netcdf or netCDF4 for NetCDF, zarr for Zarr, adios2 for BP and
SST (`pip install 'tailrace[readers]'`, `'tailrace[adios2]'`). No MPI, and nothing of the job's own libraries.
"""

from .errors import JobEnded, StreamError, StreamTimeout
from .open import stream

__all__ = ["JobEnded", "StreamError", "StreamTimeout", "stream"]
