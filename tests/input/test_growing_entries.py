"""Entries whose records come one after the other, as a server reads them: of a function, of an ADIOS2 file, of a
stream."""

import sys

import numpy as np
import pytest
from support.record_dump import RecordDump, Refused, grid

LAT = np.array([-30.0, 0.0, 50.0])
LON = np.arange(30) * 12.0
PLANE = grid(lat=LAT, lon=LON)
DAY = 86400.0
FIELDS = [{"name": "t", "type": "float64", "units": "degC"}, {"name": "q", "type": "float32", "units": "1"}]

SOURCE = """
import numpy as np
import xarray as xr
from tailrace import input_source

@input_source
def made(file):
    places = {"lat": ("lat", [50.0, 0.0, -30.0], {"units": "degrees_north"}),
              "lon": ("lon", np.arange(30) * 12.0, {"units": "degrees_east"})}
    for day in range(int(file.rpartition("/")[2])):
        t = np.arange(90.0).reshape(3, 30) + 100 * day + 273.15
        time = {"time": [np.datetime64("2000-01-01", "ns") + np.timedelta64(day, "D")]}
        yield xr.Dataset({"t": (("time", "lat", "lon"), t[None], {"units": "K"}),
                          "q": (("time", "lat", "lon"), t[None].astype("f4"), {"units": "1"})}, time | places)
        if day == 3:
            raise ValueError("no more")
"""


def expected(day):
    """In the order of the grid, and its units."""
    return (np.arange(90.0).reshape(3, 30) + 100 * day)[::-1]


@pytest.fixture
def dump(tmp_path):
    (tmp_path / "source.py").write_text(SOURCE)
    opened = []

    def start(name):
        function = {"python": sys.executable, "function": f"{tmp_path / 'source.py'}:made"}
        (tmp_path / name).touch()
        opened.append(RecordDump(tmp_path, PLANE, [name], FIELDS, **function))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def test_records_of_a_function(dump):
    reading = dump("3")
    for days in (1, 2, 3):
        assert [reading.times(field) for field in (0, 1)] == [[DAY * day for day in range(days)]] * 2
        assert all(one["may_grow"] for one in reading.prepared)
        np.testing.assert_allclose(reading.read(days - 1)[0], expected(days - 1), rtol=0, atol=1e-12)
        assert reading.read(days - 1, 1)[0].tobytes() == (expected(days - 1) + 273.15).astype("f4").tobytes()
        assert reading.grow() == (days < 3)
    assert len(reading.times()) == 3
    np.testing.assert_allclose(reading.read(2)[0], expected(2), rtol=0, atol=1e-12)


def test_no_record_is_given_back_that_a_field_may_need(dump):
    """Only what all fields have passed; an error names the record."""
    reading = dump("3")
    reading.grow()
    reading.read(1, 0)
    reading.grow()
    np.testing.assert_allclose(reading.read(0)[0], expected(0), rtol=0, atol=1e-12)
    reading.read(2, 0), reading.read(1, 1)
    reading.grow()
    np.testing.assert_allclose(reading.read(1)[0], expected(1), rtol=0, atol=1e-12)
    with pytest.raises(Refused, match=r"variable t, record 0 .*: t: the records before 1 were given back"):
        reading.read(0)


def test_a_function_that_fails_between_two_records(dump, tmp_path):
    """With the place in the configuration and in the function; the records that came can be read."""
    reading = dump("9")
    for _ in range(3):
        assert reading.grow()
    with pytest.raises(Refused) as refused:
        reading.grow()
    assert str(refused.value) == (
        f"run.yml:5:12  input.forcing.files: {tmp_path}/9: {tmp_path}/source.py:16, in made: ValueError: no more"
    )
    np.testing.assert_allclose(reading.read(3)[0], expected(3), rtol=0, atol=1e-12)
