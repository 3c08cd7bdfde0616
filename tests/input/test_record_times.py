"""The times of the records of an entry, over all its files."""

import cftime
import netCDF4
import numpy as np
import pytest
from support.record_dump import RecordDump, Refused, grid, write

LAT = np.array([-30.0, 0.0, 50.0])
PLANE = grid(lat=LAT)
DAY = 86400.0
FIELD = {"name": "t", "type": "float32", "units": "K"}


def numbers(count, seed=1):
    return np.random.default_rng(seed).normal(size=(count, len(LAT))).astype("f4")


def write_times(path, times, values=None, dim="time", name=None, scalar=None, extra=None, **attributes):
    """A variable t(dim, lat), whose time coordinate has exactly these attributes."""
    values = numbers(len(times)) if values is None else values
    with netCDF4.Dataset(path, "w") as data:
        data.createDimension(dim, None)
        data.createDimension("lat", len(LAT))
        data.createVariable("lat", "f8", ("lat",))[:] = LAT
        data["lat"].units = "degrees_north"
        made = data.createVariable(name or dim, "f8", () if scalar else (dim,))
        made[...] = times[0] if scalar else times
        made.setncatts(attributes)
        data.createVariable("t", "f4", ("lat",) if scalar else (dim, "lat"))[...] = values
        data["t"].units = "K"
        if scalar:
            data["t"].coordinates = name
        for bounds, given in (extra or {}).items():
            if "two" not in data.dimensions:
                data.createDimension("two", 2)
            data.createVariable(bounds, "f8", (dim, "two"))[:] = given


def opened(folder, files, field=None, **more):
    return RecordDump(folder, PLANE, files, [FIELD | (field or {})], **more)


def refusal(folder, files, field=None, **more):
    with pytest.raises(Refused) as refused:
        opened(folder, files, field, **more)
    return str(refused.value)


def test_hundreds_of_files(tmp_path):
    values = numbers(600)
    order = np.random.default_rng(2).permutation(200)
    for n in range(200):
        times = np.arange(3 * n, 3 * n + 3)
        write_times(tmp_path / f"{order[n]:03}.nc", times, values[3 * n : 3 * n + 3], units="hours since 2000-01-01")
    with opened(tmp_path, ["*.nc"]) as dump:
        assert dump.times() == [3600.0 * n for n in range(600)]
        for record in [0, 599, *range(100, 200)]:
            assert dump.read(record)[0].tobytes() == values[record].tobytes()


def test_overlapping_files_and_a_doubled_record(tmp_path):
    """The file that is later in the list counts, and in a file the record that is later there."""
    values = numbers(7)
    write_times(tmp_path / "a.nc", [0, 1, 2, 3], values[:4], units="days since 2000-01-01")
    write_times(tmp_path / "b.nc", [4, 2, 4], values[4:], units="days since 2000-01-01")
    with opened(tmp_path, ["a.nc", "b.nc"]) as dump:
        assert dump.times() == [0, DAY, 2 * DAY, 3 * DAY, 4 * DAY]
        np.testing.assert_array_equal(dump.values(), values[[0, 1, 5, 3, 6]])
    with opened(tmp_path, ["b.nc", "a.nc"]) as dump:
        np.testing.assert_array_equal(dump.values(), values[[0, 1, 2, 3, 6]])


def test_a_time_axis_out_of_order(tmp_path):
    times = np.random.default_rng(3).permutation(40)
    write_times(tmp_path / "a.nc", times, units="days since 2000-01-01")
    with opened(tmp_path, ["a.nc"]) as dump:
        assert dump.times() == [DAY * n for n in range(40)]
        np.testing.assert_array_equal(dump.values(), numbers(40)[np.argsort(times)])


def test_records_missing_in_the_middle(tmp_path):
    values = numbers(4)
    values[2] = 1e20
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as data:
        data.createDimension("time", None)
        data.createDimension("lat", 3)
        data.createVariable("time", "f8", ("time",))[:] = [0, 1, 7, 8]
        data["time"].units = "days since 2000-01-01"
        data.createVariable("t", "f4", ("time", "lat"), fill_value=1e20)[:] = values
        data["t"].units = "K"
    with opened(tmp_path, ["a.nc"]) as dump:
        assert dump.times() == [0, DAY, 7 * DAY, 8 * DAY]
        assert [dump.read(record)[1]["missing"] for record in range(4)] == [0, 0, 3, 0]
        assert np.isnan(dump.read(2)[0]).all()


@pytest.mark.parametrize(
    "calendar", ["standard", "noleap", "360_day", "all_leap", "julian", "proleptic_gregorian", None]
)
@pytest.mark.parametrize(
    "units", ["days since 1850-01-01", "hours since 2003-06-30 12:00", "minutes since 2004-02-28 00:00:00 -02:00"]
)
def test_calendars(tmp_path, calendar, units):
    days = np.array([55000.0, 55580.25, 56001.5])
    scale = {"days": 1, "hours": 24, "minutes": 1440}[units.split()[0]]
    times = days * scale if units.startswith("days") else (days - 55000) * scale
    write_times(tmp_path / "a.nc", times, units=units, **({"calendar": calendar} if calendar else {}))
    dates = cftime.num2date(times, units, calendar or "standard")
    start = cftime.datetime(2000, 1, 1, calendar="standard")
    expected = []
    for date in dates:
        try:
            here = cftime.datetime(*date.timetuple()[:6], calendar="standard")
        except ValueError:
            continue  # the model's calendar lacks the day
        expected.append((here - start).total_seconds())
    with opened(tmp_path, ["a.nc"]) as dump:
        assert dump.times() == pytest.approx(expected, abs=1e-5)


def test_months_since(tmp_path):
    write_times(tmp_path / "a.nc", [0, 1, 2, 13.5], units="months since 2000-01-01")
    with opened(tmp_path, ["a.nc"]) as dump:
        february = 366 + 31
        assert dump.times() == [0, 31 * DAY, 60 * DAY, (february + 14) * DAY]


def test_times_as_characters(tmp_path):
    """As WRF writes them."""
    texts = ["2000-01-31_18:00:00", "2000-02-01_00:00:00", "2000-02-29_12:30:00"]
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as data:
        for dim, length in (("Time", None), ("DateStrLen", 19), ("south_north", 3), ("west_east", 5)):
            data.createDimension(dim, length)
        data.createVariable("Times", "S1", ("Time", "DateStrLen"))[:] = netCDF4.stringtochar(np.array(texts, "S19"))
        values = np.random.default_rng(1).normal(size=(3, 3, 5)).astype("f4")
        for name, units in (("XLAT", "degree_north"), ("XLONG", "degree_east")):
            data.createVariable(name, "f4", ("Time", "south_north", "west_east"))[:] = values
            data[name].units = units
        data.createVariable("t", "f4", ("Time", "south_north", "west_east"))[:] = values
        data["t"].setncatts({"units": "K", "coordinates": "XLONG XLAT XTIME"})
    with RecordDump(tmp_path, grid(y=3, x=5), ["a.nc"], [FIELD]) as dump:
        assert dump.times() == [30.75 * DAY, 31 * DAY, 59 * DAY + 45000]
        assert dump.values().tobytes() == values.tobytes()


def test_bounds_and_climatologies(tmp_path):
    bounds = np.array([[0, 31], [31, 60], [60, 91]], "f8")
    write_times(
        tmp_path / "a.nc", [10, 40, 75], units="days since 2000-01-01", bounds="time_bnds", extra={"time_bnds": bounds}
    )
    with opened(tmp_path, ["a.nc"], {"time": "mean_preserving"}) as dump:
        records = dump.prepared[0]["records"]
        assert [[one["begin"], one["end"]] for one in records] == (bounds * DAY).tolist()
        assert dump.times() == (bounds.mean(axis=1) * DAY).tolist(), "a mean stands for its interval"
        assert dump.prepared[0]["has_bounds"]
    bounds = np.array([[0, 365 * 10 + 34], [31, 365 * 10 + 62]], "f8")
    write_times(
        tmp_path / "b.nc", [15, 45], units="days since 1990-01-01", climatology="c_bnds", extra={"c_bnds": bounds}
    )
    with opened(tmp_path, ["b.nc"], {"cycle": 0}) as dump:
        assert dump.prepared[0]["is_climatology"] and dump.prepared[0]["stays"]
    assert "expected `cycle: year`" in refusal(tmp_path, ["b.nc"])
    write_times(
        tmp_path / "c.nc", [10, 40], units="days since 2000-01-01", bounds="b", extra={"b": [[0, 31], [41, 60]]}
    )
    assert refusal(tmp_path, ["c.nc"]).startswith(
        f"run.yml:7:3  input.forcing.fields.t: {tmp_path}/c.nc: variable t: the bounds 41 and 60 of time 1 "
    )


def test_coordinates_of_time_under_other_names(tmp_path):
    write_times(tmp_path / "a.nc", [4, 5], dim="t_dim", name="valid_time", units="days since 2000-01-01")
    with opened(tmp_path, ["a.nc"], {"time_offset": -DAY}) as dump:
        assert dump.times() == [3 * DAY, 4 * DAY]
        np.testing.assert_array_equal(dump.values(), numbers(2))
    write_times(tmp_path / "b.nc", [4, 5], dim="x", name="one", units="days since 2000-01-01")
    with netCDF4.Dataset(tmp_path / "b.nc", "a") as data:
        data.createVariable("two_", "f8", ("x",))[:] = [7, 8]
        data["two_"].units = "days since 2000-01-01"
    assert "one and two_ both give the times along x; expected that the attribute `coordinates` of t names one" in (
        refusal(tmp_path, ["b.nc"])
    )
    with netCDF4.Dataset(tmp_path / "b.nc", "a") as data:
        data["t"].coordinates = "two_"
    with opened(tmp_path, ["b.nc"]) as dump:
        assert dump.times() == [7 * DAY, 8 * DAY]


def test_a_record_a_file_without_a_dim_of_time(tmp_path):
    for n in range(3):
        write_times(tmp_path / f"{n}.nc", [n], numbers(3)[n], scalar=True, name="when", units="days since 2000-01-01")
    with opened(tmp_path, ["*.nc"]) as dump:
        assert dump.times() == [0, DAY, 2 * DAY]
        np.testing.assert_array_equal(dump.values(), numbers(3))


def test_what_has_no_time(tmp_path):
    write(tmp_path / "a.nc", numbers(1)[0], {"lat": LAT})
    with opened(tmp_path, ["a.nc"], {"time": "none"}) as dump:
        assert dump.prepared[0]["stays"]
        np.testing.assert_array_equal(dump.read(0)[0], numbers(1)[0])
    assert refusal(tmp_path, ["a.nc"]).endswith(
        f"{tmp_path}/a.nc: variable t: it has no dim of time among lat; expected `time: none`"
    )
    write(tmp_path / "b.nc", numbers(4), {"time": np.arange(4.0), "lat": LAT})
    assert "there are 4 records, but `time: none` expects one" in refusal(tmp_path, ["b.nc"], {"time": "none"})
    with opened(tmp_path, ["b.nc"], {"time": "none", "select": {"time": 2}}) as dump:
        np.testing.assert_array_equal(dump.read(0)[0], numbers(4)[2])


def test_what_the_times_lack_is_told(tmp_path):
    write_times(tmp_path / "a.nc", [0, 1])
    assert refusal(tmp_path, ["a.nc"]).endswith(
        f"{tmp_path}/a.nc: variable t: the coordinate time has no attribute units; expected units such as "
        '"days since 2000-01-01" (CF 4.4)'
    )
    write_times(tmp_path / "b.nc", [0, 1], name="clock", units="furlong")
    assert "the dim time has no coordinate" in refusal(tmp_path, ["b.nc"])
    write_times(tmp_path / "c.nc", [0, 1], units="days since 2000-01-01", calendar="no_leaps")
    assert "no_leaps" in refusal(tmp_path, ["c.nc"])
    write_times(tmp_path / "d.nc", [0, np.nan], units="days since 2000-01-01")
    assert "time 1 (counted from 0) is not a number" in refusal(tmp_path, ["d.nc"])
    write_times(tmp_path / "e.nc", [], units="days since 2000-01-01")
    assert refusal(tmp_path, ["e.nc"]).endswith("variable t of e.nc: there is no record")
