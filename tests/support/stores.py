"""Reads Zarr stores with xarray and zarr-python."""

import json
from pathlib import Path

import numpy as np
import xarray as xr
import zarr

from support.reading import RUN_ATTRIBUTES, read


def read_store(path: Path, **options) -> xr.Dataset:
    """The whole store in memory, in the form in which `read` returns a NetCDF file."""
    options = {"decode_times": False, "mask_and_scale": False} | options
    with xr.open_dataset(path, engine="zarr", chunks=None, consolidated=True, **options) as data:
        return data.load()


def assert_same_as_netcdf(store: Path, file: Path) -> None:
    """Names, dimensions, attributes and each bit of the values, packed and unpacked."""
    ours, theirs = read_store(store), read(file)
    for data in (ours, theirs):
        data.attrs = {name: value for name, value in data.attrs.items() if name not in RUN_ATTRIBUTES}
    xr.testing.assert_identical(ours, theirs)
    for name, variable in theirs.variables.items():
        assert ours.variables[name].dtype == variable.dtype, name
        assert np.ascontiguousarray(ours.variables[name].values).tobytes() == variable.values.tobytes(), name
    with xr.open_dataset(file, engine="netcdf4", decode_times=False) as netcdf:
        xr.testing.assert_allclose(read_store(store, mask_and_scale=True).drop_attrs(), netcdf.load().drop_attrs())


def assert_same_in_tensorstore(store: Path) -> None:
    """TensorStore, which shares no code with zarr-python, finds the bits of xarray in each array of numbers, and the
    chunks and shards of zarr-python."""
    import tensorstore

    group, data = zarr.open_group(store, mode="r", use_consolidated=False), read_store(store)
    for name, ours in group.arrays():
        if ours.dtype.kind not in "iuf":
            continue  # texts have a data type that TensorStore lacks
        kvstore = {"driver": "file", "path": str(store / name)}
        theirs = tensorstore.open({"driver": "zarr3", "kvstore": kvstore}, read=True).result()
        values = np.ascontiguousarray(theirs.read().result())
        expected = np.ascontiguousarray(data.variables[name].values)
        assert (values.dtype, values.shape) == (expected.dtype, expected.shape), name
        assert values.tobytes() == expected.tobytes(), name
        if ours.shape:  # TensorStore gives a scalar no layout
            layout, file = theirs.chunk_layout, ours.shards or ours.chunks
            assert (layout.read_chunk.shape, layout.write_chunk.shape) == (ours.chunks, file), name


def every_bit_of_store(store: Path) -> dict:
    """The values of each array, and the metadata without those that describe the run. (Whether the last chunk of a
    store is compressed depends on when its end was known.)"""
    content = {}
    group = zarr.open_group(store, mode="r", use_consolidated=False)
    for path in sorted(store.rglob("zarr.json")):
        document = json.loads(path.read_text())
        for attribute in RUN_ATTRIBUTES:
            document["attributes"].pop(attribute, None)
        content[str(path.relative_to(store))] = document
    for name, array in group.arrays():
        content[name] = np.ascontiguousarray(array[...]).tobytes()
    return content
