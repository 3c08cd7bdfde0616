"""A file or store as it is at one moment, while it may grow: only whole commits are seen, as its format promises."""

import ctypes
import importlib.util
import json
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import xarray as xr

from .errors import StreamError
from .job import is_marked
from .records import NewRecords


def growing_dims(raw: xr.Dataset, named: list[str]) -> tuple[str, ...]:
    """Those that the source names as growing; of sources that name none, the dimensions of time."""
    dims = [dim for dim in named if dim in raw.dims]
    return tuple(dims or [str(dim) for dim in raw.dims if str(dim) == "time" or str(dim).startswith("time_")])


class NetcdfFile:
    kind = "NetCDF"

    def __init__(self, path: Path):
        self.path = path
        self.marked = path  # the file that its writer holds a mark on

    def is_written(self) -> bool:
        return is_marked(self.marked)

    def stamp(self) -> tuple[int, ...] | None:
        """Changes with each commit; None while there is nothing."""
        try:
            found = self.marked.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns

    @contextmanager
    def open(self) -> Iterator[NewRecords]:
        """HDF5 keeps one state of a file that it has open by its name, for all who open it in this process. So where it
        can be, the file is read through Python, and nobody else's old state is taken for the newest."""
        if importlib.util.find_spec("h5netcdf"):
            with self.path.open("rb", buffering=0) as file, _opened(file) as records:
                yield records
        elif importlib.util.find_spec("netCDF4"):
            with xr.open_dataset(self.path, engine="netcdf4", decode_cf=False, cache=False) as raw:
                yield NewRecords(raw, growing_dims(raw, list(raw.encoding.get("unlimited_dims", ()))))
        else:
            raise StreamError(f"{self.path}: NetCDF needs h5netcdf or netCDF4: pip install 'tailrace[readers]'")


@contextmanager
def _opened(file) -> Iterator[NewRecords]:
    with xr.open_dataset(file, engine="h5netcdf", decode_cf=False, cache=False) as raw:
        yield NewRecords(raw, growing_dims(raw, list(raw.encoding.get("unlimited_dims", ()))))


@contextmanager
def open_image(descriptor: int) -> Iterator[NewRecords]:
    """A NetCDF file in memory, by its descriptor. HDF5 opens no file without a name: netCDF4 reads where it is mapped,
    h5netcdf through Python, which takes five times as long."""
    if importlib.util.find_spec("netCDF4"):
        with _mapped(descriptor) as image, _opened_image(image) as records:
            yield records
    elif importlib.util.find_spec("h5netcdf"):
        with os.fdopen(descriptor, "rb", buffering=0, closefd=False) as file, _opened(file) as records:
            yield records
    else:
        needs = "netCDF4 or h5netcdf: pip install 'tailrace[readers]'"
        raise StreamError(f"steps are handed over as NetCDF in memory, which needs {needs}")


@contextmanager
def _mapped(descriptor: int) -> Iterator[ctypes.Array]:
    """netCDF4 never lets go of an image that it refuses. An `mmap` could then not be closed, which would hide why, and
    would stay in memory; so the system is asked for the pages, and gets them back."""
    size = os.fstat(descriptor).st_size
    system = ctypes.CDLL(None, use_errno=True)
    system.mmap.restype = ctypes.c_void_p
    system.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    system.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    address = system.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, descriptor, 0)
    if address == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), f"a step cannot be mapped: {os.strerror(ctypes.get_errno())}")
    try:
        yield (ctypes.c_char * size).from_address(address)
    finally:
        system.munmap(address, size)


@contextmanager
def _opened_image(image: ctypes.Array) -> Iterator[NewRecords]:
    import netCDF4

    store = xr.backends.NetCDF4DataStore(netCDF4.Dataset("step", memory=image))
    with xr.open_dataset(store, decode_cf=False, cache=False) as raw:
        yield NewRecords(raw, growing_dims(raw, list(raw.encoding.get("unlimited_dims", ()))))


class ZarrStore(NetcdfFile):
    kind = "Zarr"

    def __init__(self, path: Path):
        super().__init__(path)
        self.marked = path / "zarr.json"

    @contextmanager
    def open(self) -> Iterator[NewRecords]:
        if not importlib.util.find_spec("zarr"):
            raise StreamError(f"{self.path}: a Zarr store needs zarr: pip install 'tailrace[zarr]'")
        with xr.open_zarr(self.path, decode_cf=False, consolidated=True, chunks=None) as raw:
            attributes = json.loads(self.marked.read_text()).get("attributes", {})
            yield NewRecords(raw, growing_dims(raw, attributes.get("_nc_unlimited_dimensions", [])))
