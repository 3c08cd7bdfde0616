"""A converted ADIOS2 dataset of a job equals the NetCDF file of the same job: all variables and attributes, bit for
bit, for stock readers."""

from pathlib import Path

import netCDF4
import numpy as np
import pytest
import xarray as xr
import zarr
from support.harness import block_grid, field, model, servers, tailrace
from support.reading import differences, read
from support.stores import assert_same_as_netcdf
from support.values import varying_times

adios2_reading = pytest.importorskip("support.adios2_reading")

TIMES = varying_times(11, seed=3)  # four steps per commit: the last one is shorter
GAP = -999.0
NUMBERS = {"whole": 4, "half": 0.5, "one": [3], "two": [1.5, 2.5]}
VARIABLES = [
    {"field": "w", "name": "each", "every": "1 step", "attributes": NUMBERS | {"valid_range": [-1e9, 1e9]}},
    {"field": "gappy", "every": "1 step"},
    {"field": "gappy", "name": "gappy_mean", "time": "mean", "every": "2 steps", "type": "float32"},
    {"field": "n", "every": "1 step", "attributes": {"valid_min": -5}},
    {"field": "w", "name": "packed", "every": "1 step", "type": "int16", "pack": {"range": [-10.0, 400.0]}},
]
ATTRIBUTES = NUMBERS | {"title": "Sämple", "empty": ""}


def run(job, engine: str) -> Path:
    """The folder of a job that wrote out.nc and out.bp."""
    common = {"write_every": "4 steps", "variables": VARIABLES, "attributes": ATTRIBUTES}
    common["option_tables"] = {"numbers": {}}
    config = {"fields": {"state": {"every": "1 step", "names": ["w", "gappy", "n"]}}}
    config["output"] = {"out.nc": common, "out.bp": common | {"format": "adios2", "adios2": {"engine": engine}}}
    fields = [field("w", "les"), field("gappy", "les", fill_value=GAP), field("n", "les", type="int32")]
    options = {"numbers.first": 1, "numbers.second": -20}
    player = model(2, grids=[block_grid()], fields=fields, times=TIMES, options=options)
    return job(player, servers(2), config=config).finished().folder


def of_netcdf(path: Path) -> dict:
    content = {}
    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        file.set_auto_chartostring(False)
        content["unlimited"] = {name for name, dim in file.dimensions.items() if dim.isunlimited()}
        for name, variable in file.variables.items():
            content[name] = (variable.dtype.str, variable.dimensions, variable.shape, bytes_of(variable[...]))
        for owner, item in [("", file), *file.variables.items()]:
            content |= {f"{owner}@{name}": typed(item.getncattr(name)) for name in item.ncattrs()}
    return content


def of_zarr(path: Path) -> dict:
    """The contents as read by zarr-python, with the types that JSON lacks from an attribute of the store."""
    store = zarr.open_group(path, mode="r", use_consolidated=False)
    notes = dict(store.attrs)
    types = notes.pop("_nc_attribute_types", {})
    content = {"unlimited": set(notes.pop("_nc_unlimited_dimensions"))}
    for name, array in store.arrays():
        dims = tuple(array.metadata.dimension_names)
        content[name] = (array.dtype.str, dims, array.shape, bytes_of(array[...]))
    for owner, attributes in [("", notes), *((name, dict(array.attrs)) for name, array in store.arrays())]:
        for name, value in attributes.items():
            content[f"{owner}@{name}"] = typed(value, types.get(owner, {}).get(name))
            if name == "_FillValue":  # in xarray's form; zarr has its own field for it
                content[f"{owner}@{name}"] = typed(store[owner].fill_value)
    return content


def typed(value, dtype: str | None = None) -> tuple:
    array = np.asarray(value, dtype)
    return ("text" if array.dtype.kind == "U" else array.dtype.str, array.shape, array.tolist())


def bytes_of(values) -> bytes:
    return np.ascontiguousarray(values).tobytes()


@pytest.mark.parametrize("target", ["back.nc", "back.zarr"])
@pytest.mark.parametrize("engine", ["bp5", "bp4"])
def test_all_that_a_job_wrote_is_converted(job, engine, target):
    folder = run(job, engine)
    steps = adios2_reading.records_by_step(folder / "out.bp")
    assert [len(values) for values in steps["each"]] == [4, 4, 3]
    expected = of_netcdf(folder / "out.nc")
    beside = read(folder / "out.nc")
    assert expected["gappy@_FillValue"] == ("<f8", (), GAP) and (beside.gappy == GAP).any()
    assert expected["gappy_mean@_FillValue"] == ("<f4", (), GAP) and (beside.gappy_mean == np.float32(GAP)).any()
    assert {"gappy_mean", "packed", "numbers", "z", "y", "x"} < expected.keys() > {"packed@scale_factor", "@empty"}
    assert any(name.endswith("_bnds") for name in expected)
    done = tailrace("convert", "out.bp", target, cwd=folder)
    assert done.returncode == 0, done.stderr
    if target == "back.nc":
        assert differences(of_netcdf(folder / target), expected) == []
        with xr.open_dataset(folder / target) as ours, xr.open_dataset(folder / "out.nc") as theirs:
            xr.testing.assert_identical(ours, theirs)
    else:
        assert differences(of_zarr(folder / target), expected) == []
        assert_same_as_netcdf(folder / target, folder / "out.nc")
