"""A year of two components in three calendars, from an odd hour on, in three jobs of unequal length that append: days,
months and seasons compared with NumPy, xarray, CDO and NCO."""

import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import cftime
import netCDF4
import numpy as np
import pytest
import xarray as xr
from support.checkers import cdo_warnings
from support.harness import Job, block_grid, field, model, servers
from support.values import History, reduce_window

CALENDARS = ["360_day", "noleap", "standard"]
START = (2001, 11, 17, 19, 30)
JOBS_END = ((2002, 3, 1), (2002, 9, 1), (2003, 1, 8, 18))
AIR_STEP, SEA_STEP = 10800.0, 21600.0  # after a first step until midnight
SHAPE = (2, 5, 7)  # height, lat, lon
SEA_SHAPE = (3, 7, 11)
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


MEANS = {"operation": "mean", "type": "float32"}
AIR = {
    "fields": {"state": {"every": "1 step", "names": ["ta"]}},
    "output": {
        "day.nc": {"variables": [{"field": "ta", "every": "1 d", **MEANS}]},
        "month.nc": {"variables": [{"field": "ta", "every": "1 month", **MEANS}]},
        "season.nc": {"variables": [{"field": "ta", "every": "3 months", "offset": "-1 month", **MEANS}]},
        "exact.nc": {"variables": [{"field": "ta", "every": "1 month", "operation": "mean"}]},
    },
}
SEA = {
    "fields": {"state": {"every": "1 step", "names": ["tos"]}},
    "output": {"sea.nc": {"variables": [{"field": "tos", "every": "1 month", "operation": "mean"}]}},
}


def configuration(calendar: str, component: dict) -> dict:
    return {
        "model_time": {"calendar": calendar, "start": "2001-11-17T19:30:00"},
        "defaults": {"write_every": "60 d", "if_exists": "append"},
    } | component


def seconds(calendar: str, *date: int) -> float:
    date = cftime.datetime(*date, calendar=calendar)
    return (date - cftime.datetime(*START, calendar=calendar)).total_seconds()


def jobs(calendar: str, step: float) -> list[tuple[float, list[float]]]:
    """The begin of each job and the time after each of its steps, in s since the start."""
    bounds = [0.0, *(seconds(calendar, *end) for end in JOBS_END)]
    midnight = seconds(calendar, *START[:2], START[2] + 1)
    found = []
    for begin, end in pairwise(bounds):
        first = midnight if begin == 0.0 else begin + step
        found.append((begin, [float(time) for time in np.arange(first, end + 1.0, step)]))
    return found


@pytest.fixture(scope="module", params=CALENDARS)
def year(request, tmp_path_factory) -> tuple[str, Path]:
    calendar = request.param
    job = Job(tmp_path_factory.mktemp("year"))
    ta = field("ta", "globe", units="K", standard_name="air_temperature")
    air = {"component": "air", "grids": [GRID], "fields": [ta], "config": configuration(calendar, AIR)}
    sea = {"component": "sea", "grids": [block_grid("basin")], "fields": [field("tos", "basin", units="K")]}
    sea["config"] = configuration(calendar, SEA)
    folder = None
    for (begin, times), (_, sea_times) in zip(jobs(calendar, AIR_STEP), jobs(calendar, SEA_STEP), strict=True):
        part = {"initial_time": begin, "exchange_values": 0}
        players = model(2, times=times, **air, **part), model(1, times=sea_times, **sea, **part)
        folder = job(*players, servers(1), config={}, folder=folder).finished().folder
    return calendar, folder


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


def window_means(calendar: str, edges: list[tuple[int, int]], shape=SHAPE, step=AIR_STEP) -> np.ndarray:
    """The means between the first days of months, weighted by the lengths of the steps, by NumPy alone."""
    moments = [seconds(calendar, *edge, 1) for edge in edges]
    histories = [History.of(0, shape, times, begin=begin) for begin, times in jobs(calendar, step)]
    means = []
    for begin, end in pairwise(moments):
        (history,) = [job for job in histories if job.begin <= begin and end <= job.times[-1]]
        means.append(reduce_window("mean", *history.overlaps((begin, end))))
    return np.array(means)


def test_months_and_seasons_are_those_of_numpy(year):
    calendar, folder = year
    monthly = [(2001, 12), *((2002, month) for month in range(1, 13))]
    with netCDF4.Dataset(folder / "exact.nc") as data:
        np.testing.assert_allclose(data["ta"][1:13], window_means(calendar, monthly), rtol=1e-12)
    with netCDF4.Dataset(folder / "sea.nc") as data:
        expected = window_means(calendar, monthly, SEA_SHAPE, SEA_STEP)
        np.testing.assert_allclose(data["tos"][1:13], expected, rtol=1e-12)
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
    assert cdo_warnings(*folder.glob("*.nc")) == []
