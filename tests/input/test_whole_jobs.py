"""What models get of files, in whole jobs, against xarray's interpolation of the same files."""

from pathlib import Path

import netCDF4
import numpy as np
import pytest
import xarray as xr
from support.harness import attached, block_grid, field, inline, model, servers
from support.reading_inputs import got

SHAPE = (3, 7, 11)
START = np.datetime64("2000-01-01T00:00:00", "ns")
HOURS = np.array([0.0, 3.0, 4.0, 10.0, 18.0, 30.0])
INITIAL = 1800.0
TIMES = [3600.0, 10800.0, 12600.0, 13000.0, 50000.0, 93600.0]  # within the file, in steps of any length


def grid(split=("y", "x")) -> dict:
    return block_grid("air", SHAPE, split)


def surface(split=("y", "x")) -> dict:
    return block_grid("sea", SHAPE[1:], split, dims=("y", "x"))


def forcing() -> xr.Dataset:
    random = np.random.default_rng(34)
    y, x = 50.0 * np.arange(SHAPE[1]), 50.0 * np.arange(SHAPE[2])
    time = START + (HOURS * 3.6e12).astype("timedelta64[ns]")
    ice = random.uniform(0, 1, (len(HOURS), SHAPE[1], SHAPE[2]))
    ice[:, 2, 3] = np.nan
    return xr.Dataset(
        {
            "tos": (("time", "y", "x"), random.uniform(270, 300, ice.shape), {"units": "K"}),
            "siconc": (("time", "y", "x"), ice, {"units": "1"}),
            "ua": (("time", "z", "y", "x"), random.normal(size=(len(HOURS), *SHAPE)), {"units": "m s-1"}),
            "co2": (("time",), random.uniform(280, 420, len(HOURS)), {"units": "1e-6"}),
            "phis": (("y", "x"), random.uniform(0, 20000, ice.shape[1:]).astype("f4"), {"units": "m2 s-2"}),
            "index": (("time", "y", "x"), random.integers(-1000, 1000, ice.shape).astype("i4"), {"units": "1"}),
        },
        {
            "time": time,
            "z": ("z", 10.0 + 20.0 * np.arange(SHAPE[0]), {"units": "m", "standard_name": "height"}),
            "y": ("y", y, {"units": "m"}),
            "x": ("x", x, {"units": "m"}),
        },
    )


def write(folder: Path, dataset: xr.Dataset, name="forcing.nc") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    dataset.to_netcdf(folder / name, encoding={"time": {"units": "hours since 2000-01-01", "dtype": "f8"}})


FIELDS = {
    "sst": {"variable": "tos", "time": "linear"},
    "sic": {"variable": "siconc", "time": "previous", "missing": 0},
    "u": {"variable": "ua", "time": "linear"},
    "co2": {"time": "linear"},
    "orog": {"variable": "phis", "time": "none", "scale": 0.10197, "units": "m"},
    "index": {"time": "nearest"},
}
INPUTS = [
    {"name": "sst", "grid": "sea", "units": "degC"},
    {"name": "sic", "grid": "sea", "type": "float32"},
    {"name": "u", "grid": "air", "units": "m s-1", "how": "strided"},
    {"name": "co2", "units": "1e-6"},
    {"name": "orog", "grid": "sea", "units": "m", "every": 2},
    {"name": "index", "grid": "sea", "type": "int32"},
]


def configuration(fields=FIELDS, **entry) -> dict:
    return {
        "model_time": {"calendar": "standard", "start": "2000-01-01"},
        "fields": {"state": {"names": ["w"], "every": "step"}},
        "output": {"w.nc": {"variables": [{"field": "w", "every": "step"}]}},
        "input": {"forcing": {"files": "forcing.nc", "fields": fields} | entry},
    }


def forced(ranks: int, inputs=INPUTS, times=TIMES, **more):
    keys = {"grids": [grid(), surface()], "fields": [field("w", "air")], "initial_time": INITIAL} | more
    return model(ranks, inputs=inputs, times=times, **keys)


def at(times) -> xr.DataArray:
    return xr.DataArray(START + (np.array(times) * 1e9).astype("timedelta64[ns]"), dims="time")


def check(folder: Path, dataset: xr.Dataset, times=(INITIAL, *TIMES)) -> None:
    now = at(times)
    expected = {
        "sst": dataset.tos.interp(time=now) - 273.15,
        "sic": dataset.siconc.sel(time=now, method="pad").fillna(0).astype("f4"),
        "u": dataset.ua.interp(time=now),
        "index": dataset["index"].sel(time=now, method="nearest"),
    }
    for name, values in expected.items():
        np.testing.assert_allclose(got(folder, name, values.shape[1:]), values, rtol=1e-12, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(got(folder, "co2", ())[:], dataset.co2.interp(time=now), rtol=1e-12)
    orog = got(folder, "orog", SHAPE[1:])
    assert len(orog) == 1 + len(times[1:]) // 2
    np.testing.assert_allclose(orog, np.broadcast_to(dataset.phis.astype("f8") * 0.10197, orog.shape), rtol=1e-12)


PARTICIPANTS = {
    "one": (1, servers(1)),
    "two servers": (3, servers(2)),
    "mpi": (3, servers(2, transport="mpi")),
    "attached": (3, attached()),
    "inline": (2, inline()),
}


@pytest.mark.parametrize("case", PARTICIPANTS)
def test_every_rank_gets_its_cells(job, case):
    ranks, serving = PARTICIPANTS[case]
    dataset = forcing()
    write(job.root / case, dataset)
    result = job(forced(ranks), serving, config=configuration(), folder=job.root / case).finished()
    check(result.folder, dataset)
    with netCDF4.Dataset(result.path("w.nc")) as output:
        assert output["w"].shape == (len(TIMES), *SHAPE)
