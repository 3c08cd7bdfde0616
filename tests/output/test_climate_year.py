"""A year in three calendars, from an odd hour on: days, months and seasons against NumPy, xarray, CDO and NCO."""

import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import cftime
import netCDF4
import numpy as np
import pytest
import xarray as xr
from support.harness import Job, block_grid, field, model, servers
from support.values import History, reduce_window

CALENDARS = ["360_day", "noleap", "standard"]
START = (2001, 11, 17, 19, 30)
STEP = 10800.0
STEPS = 3340  # some 417 days
SHAPE = (2, 5, 7)  # height, lat, lon
FLOAT32 = 1e-6
needs_cdo = pytest.mark.skipif(not shutil.which("cdo"), reason="cdo is not installed")
needs_nco = pytest.mark.skipif(not shutil.which("ncra"), reason="nco is not installed")


def coordinate(name: str, units: str, standard_name: str, first: float, spacing: float, **more) -> dict:
    return dict(name=name, units=units, standard_name=standard_name, first=first, spacing=spacing) | more


GRID = block_grid(
    "globe",
    SHAPE,
    ("lat",),
    [
        coordinate("z", "m", "height", 2.0, 8.0, attributes={"axis": "Z", "positive": "up"}),
        coordinate("lat", "degrees_north", "latitude", -72.0, 36.0, part=True),
        coordinate("lon", "degrees_east", "longitude", 0.0, 50.0),
    ],
    ("z", "lat", "lon"),
)


def configuration(calendar: str) -> dict:
    means = {"operation": "mean", "type": "float32"}
    return {
        "model_time": {"calendar": calendar, "start": "2001-11-17T19:30:00"},
        "fields": {"state": {"every": "1 step", "names": ["ta"]}},
        "defaults": {"write_every": "60 d"},
        "output": {
            "day.nc": {"variables": [{"field": "ta", "every": "1 d", **means}]},
            "month.nc": {"variables": [{"field": "ta", "every": "1 month", **means}]},
            "season.nc": {"variables": [{"field": "ta", "every": "3 months", "offset": "-1 month", **means}]},
            "exact.nc": {"variables": [{"field": "ta", "every": "1 month", "operation": "mean"}]},
        },
    }


@pytest.fixture(scope="module", params=CALENDARS)
def year(request, tmp_path_factory) -> tuple[str, Path]:
    times = [STEP * (step + 1) for step in range(STEPS)]
    ta = field("ta", "globe", units="K", standard_name="air_temperature")
    player = model(2, grids=[GRID], fields=[ta], times=times, exchange_values=0)
    job = Job(tmp_path_factory.mktemp("year"))
    return request.param, job(player, servers(1), config=configuration(request.param)).finished().folder


def cdo(*arguments) -> str:
    done = subprocess.run(["cdo", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def float32(path: Path) -> np.ndarray:
    with netCDF4.Dataset(path) as data:
        return np.asarray(data["ta"][:], dtype=np.float64)


def months(calendar: str, file: str, folder: Path) -> list[tuple[int, int]]:
    """(year, month) of the time of each record."""
    with netCDF4.Dataset(folder / file) as data:
        dates = cftime.num2date(data["time"][:], data["time"].units, calendar=calendar)
    return [(date.year, date.month) for date in dates]


def window_means(calendar: str, edges: list[tuple[int, int]]) -> np.ndarray:
    """The means between the first days of months, each step weighing as long as it lasted, by NumPy alone."""
    begin = cftime.datetime(*START, calendar=calendar)
    moments = [(cftime.datetime(*edge, 1, calendar=calendar) - begin).total_seconds() for edge in edges]
    times = [STEP * (step + 1) for step in range(STEPS)]
    history = History.of(0, SHAPE, times)
    return np.array([reduce_window("mean", *history.overlaps(window)) for window in pairwise(moments)])


def test_months_and_seasons_are_those_of_numpy(year):
    calendar, folder = year
    monthly = [(2001, 12), *((2002, month) for month in range(1, 13))]
    with netCDF4.Dataset(folder / "exact.nc") as data:
        np.testing.assert_allclose(data["ta"][1:13], window_means(calendar, monthly), rtol=1e-12)
    quarters = [(2001, 12), (2002, 3), (2002, 6), (2002, 9), (2002, 12)]
    np.testing.assert_allclose(float32(folder / "season.nc")[1:5], window_means(calendar, quarters), rtol=FLOAT32)


@needs_cdo
def test_cdo_finds_our_months_and_seasons_in_our_days(year, tmp_path):
    calendar, folder = year
    days = ["-seldate,2001-12-01,2002-11-30T23:59:59", folder / "day.nc"]
    cdo("-s", "monmean", *days, tmp_path / "monmean.nc")
    np.testing.assert_allclose(float32(tmp_path / "monmean.nc"), float32(folder / "month.nc")[1:13], rtol=FLOAT32)
    cdo("-s", "yseasmean", *days, tmp_path / "yseasmean.nc")
    np.testing.assert_allclose(float32(tmp_path / "yseasmean.nc"), float32(folder / "season.nc")[1:5], rtol=FLOAT32)
    cdo("-s", "selmon,1", folder / "month.nc", tmp_path / "selmon.nc")
    januaries = [record for record, (_, month) in enumerate(months(calendar, "month.nc", folder)) if month == 1]
    assert januaries[0] == 2
    np.testing.assert_array_equal(float32(tmp_path / "selmon.nc"), float32(folder / "month.nc")[januaries])


def test_xarray_finds_our_months_and_seasons_in_our_days(year):
    _, folder = year
    decoded = dict(decode_times=xr.coders.CFDatetimeCoder(use_cftime=True))
    with (
        xr.open_dataset(folder / "day.nc", **decoded) as day,
        xr.open_dataset(folder / "season.nc", **decoded) as season,
        xr.open_dataset(folder / "month.nc", **decoded) as month,
    ):
        whole = day.ta.astype("float64").sel(time=slice("2001-12-01", "2002-11-30"))
        by_season = whole.groupby("time.season").mean().sel(season=["DJF", "MAM", "JJA", "SON"])
        np.testing.assert_allclose(by_season.values, season.ta.values[1:5], rtol=FLOAT32)
        by_month = whole.resample(time="MS").mean()
        np.testing.assert_allclose(by_month.values, month.ta.values[1:13], rtol=FLOAT32)
        one_each = month.ta.isel(time=slice(1, 13)).groupby("time.month").count()
        assert (one_each == 1).all() and list(one_each.month) == list(range(1, 13))


@needs_nco
def test_nco_finds_our_january_in_our_days(year, tmp_path):
    calendar, folder = year
    first, *_, last = (i for i, date in enumerate(months(calendar, "day.nc", folder)) if date == (2002, 1))
    command = ["ncra", "-d", f"time,{first},{last}", folder / "day.nc", tmp_path / "january.nc"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    np.testing.assert_allclose(float32(tmp_path / "january.nc")[0], float32(folder / "month.nc")[2], rtol=FLOAT32)


@needs_cdo
def test_cdo_warns_of_nothing(year):
    _, folder = year
    for name in ("day.nc", "month.nc", "season.nc", "exact.nc"):
        assert "arning" not in cdo("-s", "sinfov", folder / name)
