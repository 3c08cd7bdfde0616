"""Reads the output of a job in several ways."""

import json
from pathlib import Path

import h5py
import numpy as np
import xarray as xr

# Attributes that describe the run and not the data, and links within HDF5 that are equal in effect, not in bytes.
RUN_ATTRIBUTES = {"history", "created", "tailrace_configuration"}  # created: in files in MONC's form
LINKS = {"DIMENSION_LIST", "REFERENCE_LIST"}


def read(path: Path) -> xr.Dataset:
    """The whole file in memory, with times left as numbers."""
    with xr.open_dataset(path, engine="netcdf4", decode_times=False, mask_and_scale=False) as data:
        return data.load()


def time_of(variable: xr.DataArray) -> np.ndarray:
    return variable[variable.dims[0]].values


def bounds_of(data: xr.Dataset, variable: xr.DataArray) -> np.ndarray:
    return data[data[variable.dims[0]].attrs["bounds"]].values


def every_bit(path: Path) -> dict:
    """All values and attributes of a file, name -> bytes, in a form in which two files can be compared."""
    content = {}

    def attributes(prefix: str, item) -> None:
        for name in item.attrs:
            if name not in RUN_ATTRIBUTES | LINKS:
                value = np.asarray(item.attrs[name])
                content[f"{prefix}@{name}"] = (str(value.dtype), repr(value.tolist()))  # a NaN equals itself

    def visit(name: str, item) -> None:
        attributes(name, item)
        if isinstance(item, h5py.Dataset):
            content[name] = (str(item.dtype), item.shape, item[()].tobytes() if item.shape is not None else b"")

    with h5py.File(path, "r", locking=False) as file:
        attributes("", file)
        file.visititems(visit)
    return content


def differences(one: dict, other: dict) -> list[str]:
    names = sorted(one.keys() | other.keys())
    return [name for name in names if one.get(name) != other.get(name)]


def commits(folder: Path) -> dict[str, dict[str, int]]:
    """The commits in commits.jsonl: path -> lengths of the unlimited dims. A line truncated by a kill is ignored."""
    log = folder / "tailrace_report" / "commits.jsonl"
    promised: dict[str, dict[str, int]] = {}
    if log.exists():
        for line in log.read_text().splitlines(keepends=True):
            if line.endswith("\n"):
                commit = json.loads(line)
                promised[commit["path"]] = commit["lengths"]
    return promised
