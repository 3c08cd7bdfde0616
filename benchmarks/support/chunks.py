"""How many bytes of a netCDF file hold given records of a variable: the chunks as they are stored, each once."""

import itertools
import math
from pathlib import Path

import h5py
import netCDF4


def stored_bytes(path: Path, variable: str, records: set[int]) -> int:
    """`records`: indices along the dim time; without meaning for a variable that lacks it."""
    with netCDF4.Dataset(path) as data:
        dims, shape = data[variable].dimensions, data[variable].shape
        size, is_hdf5 = data[variable].dtype.itemsize, data.data_model == "NETCDF4"
    place = dims.index("time") if "time" in dims else None
    if not is_hdf5:
        return size * math.prod(shape) // (1 if place is None else shape[place]) * (len(records) if place == 0 else 1)
    with h5py.File(path) as file:
        return of_dataset(file[variable], place, records)


def of_dataset(dataset: h5py.Dataset, place: int | None, records: set[int]) -> int:
    if dataset.chunks is None:  # runs of records, if time is the slowest dim
        return dataset.nbytes * (len(records) if place == 0 else 1) // (dataset.shape[0] if place == 0 else 1)
    along = [range(0, length, chunk) for length, chunk in zip(dataset.shape, dataset.chunks, strict=True)]
    if place is not None:
        chunk = dataset.chunks[place]
        along[place] = sorted({record // chunk * chunk for record in records})
    return sum(dataset.id.get_chunk_info_by_coord(corner).size or 0 for corner in itertools.product(*along))
