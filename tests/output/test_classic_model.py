"""netCDF's classic model: netCDF4.MFDataset opens such files together, and what the model cannot hold is refused."""

import netCDF4
import numpy as np
import pytest
from support import mip_tables
from support.harness import block_grid, field, inline, model, servers
from support.values import put_values

SHAPE = (5, 7)
PLANE = block_grid(
    "globe",
    SHAPE,
    ("lat",),
    [
        {"name": "lat", "units": "degrees_north", "standard_name": "latitude", "first": -72.0, "spacing": 36.0},
        {"name": "lon", "units": "degrees_east", "standard_name": "longitude", "spacing": 360.0 / 7},
    ],
    ("lat", "lon"),
)
DAY = 86400.0
TIMES = [DAY * (step + 1) for step in range(70)]
DAILY = [{"field": "t2m", "every": "1 d"}]


def run(job, file, types=("float32",), path="a.nc", **more):
    names = [f"t{number}" for number in range(len(types))]
    names[0] = "t2m"
    fields = [field(name, "globe", kind, units="K") for name, kind in zip(names, types, strict=True)]
    config = {"model_time": {"calendar": "noleap", "start": "2001-01-01"}, "output": {path: file}} | more
    config["fields"] = {"air": {"every": "1 step", "names": names}}
    return job(model(2, grids=[PLANE], fields=fields, times=TIMES), inline(), config=config)


def model_of(path) -> str:
    with netCDF4.Dataset(path) as data:
        return data.data_model


@pytest.mark.parametrize("compression", ["none", "zlib"])
def test_files_of_a_series_are_opened_together(job, compression):
    file = {"netcdf": {"data_model": "classic"}, "new_file_every": "1 month", "compression": compression}
    file |= {"attributes": {"realization": 3}, "variables": DAILY}
    folder = run(job, file, path="a_{start}.nc").finished().folder
    paths = sorted(folder.glob("a_*.nc"))
    assert len(paths) == 3 and {model_of(path) for path in paths} == {"NETCDF4_CLASSIC"}
    with netCDF4.MFDataset([str(path) for path in paths]) as data:
        values = np.array([put_values(0, SHAPE, time, step + 1) for step, time in enumerate(TIMES)], "float32")
        np.testing.assert_array_equal(data["t2m"][:], values)
    with netCDF4.Dataset(paths[0]) as data:
        assert data.realization == 3 and data.realization.dtype == np.int32


def test_other_files_are_netcdf4(job):
    folder = run(job, {"variables": DAILY}).finished().folder
    assert model_of(folder / "a.nc") == "NETCDF4"


def test_what_the_model_cannot_hold_is_refused(job):
    classic = {"netcdf": {"data_model": "classic"}}
    monthly = {"field": "t2m", "name": "mean", "operation": "mean", "every": "1 month"}
    run(job, classic | {"variables": [*DAILY, monthly]}).failed_with(
        "a.nc: cannot be written in the classic model: it would have two dimensions that grow", "data_model: netcdf4"
    )
    run(job, classic | {"variables": [{"field": "t1", "every": "1 d"}]}, ("float32", "int64")).failed_with(
        'its variable "t1" has the type int64'
    )
    run(job, classic | {"attributes": {"seed": 2**40}, "variables": DAILY}).failed_with(
        'the attribute "seed" has a value'
    )
    run(job, {"netcdf": {"data_model": "cdf5"}, "variables": DAILY}).failed_with("data_model", "classic")


@pytest.mark.parametrize(
    "netcdf, variables, expected",
    [
        ({}, ["Amon/tas"], "NETCDF4_CLASSIC"),
        ({"netcdf": {"data_model": "netcdf4"}}, ["Amon/tas"], "NETCDF4"),
    ],
)
def test_files_of_cmip_keep_to_it(job, netcdf, variables, expected):
    mip_tables.write(job.root, True)
    wanted = [{"field": "t2m", "cmip": name} for name in variables]
    folder = run(job, netcdf | {"variables": wanted}, cmip={"tables": "../Tables"}).finished().folder
    assert model_of(folder / "a.nc") == expected


def test_files_of_cmip_that_cannot_are_netcdf4(job):
    mip_tables.write(job.root, True)
    wanted = [{"field": "t2m", "cmip": "Amon/tas"}, {"field": "t2m", "name": "now", "every": "1 d"}]
    folder = run(job, {"variables": wanted}, cmip={"tables": "../Tables"}).finished().folder
    assert model_of(folder / "a.nc") == "NETCDF4"


def test_a_run_that_is_shorter_than_its_interval_says_so(job):
    monthly = {"field": "t2m", "operation": "snapshot", "every": "4 months"}
    file = {"variables": [monthly]}
    config = {"model_time": {"calendar": "noleap", "start": "2001-01-01"}}
    config["fields"] = {"air": {"every": "1 step", "names": ["t2m"]}}
    both = {"variables": [*DAILY, monthly | {"name": "rare"}]}
    config["output"] = {"empty.nc": file, "part.nc": both, "s_{start}.nc": file | {"new_file_every": "1 year"}}
    played = model(2, grids=[PLANE], fields=[field("t2m", "globe", units="K")], times=TIMES[:3])
    result = job(played, servers(1), config=config).finished()
    ended = "the run ended at 259200 s of model time, before the first one was complete (every 4 months)"
    assert result.output.count(f"empty.nc: the file stayed empty: {ended}") == 1
    assert result.output.count(f"s_{{start}}.nc: the file stayed empty: {ended}") == 1
    assert f'part.nc: there is no record along "time_instant_4months": {ended}' in result.output
