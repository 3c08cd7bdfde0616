"""Python models give more than plain arrays: masked values, missing ones of pandas and xarray, objects, times."""

import subprocess
import sys

import netCDF4
import numpy as np
import pytest

HEAD = """
import sys
import numpy as np
import pandas as pd
import tailrace
import xarray as xr
from mpi4py import MPI

io = tailrace.Session.start(MPI.COMM_WORLD, "run.yaml", component="m")
io.grid("g", dims=["x"], shape=[3])
"""
CONFIG = """
tailrace: 1
servers: {{mode: inline, report: false}}
fields:
  state: {{every: 1 step, names: [v]}}
  fixed: {{every: once, names: [f], optional: true}}
output:
  o.nc: {{variables: [{{field: v, every: 1 s}}, {{field: f, every: once}}]}}
  m.nc: {{variables: [{{field: v, operation: mean, every: 2 s}}]}}
"""


def run(folder, text: str) -> str:
    """Runs a model; returns what it raised, or nothing."""
    (folder / "run.yaml").write_text(CONFIG.format())
    (folder / "model.py").write_text(HEAD + text)
    done = subprocess.run([sys.executable, "model.py"], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 or "tailrace.Error: " in done.stderr, done.stderr
    return done.stderr.rpartition("tailrace.Error: ")[2].strip() if done.returncode else ""


def put(dtype: str, fill: str, value: str, how: str = "io.put('v', {})") -> str:
    """A model that puts the value at two steps."""
    return (
        f"io.field('v', grid='g', dtype='{dtype}', fill_value={fill})\nio.ready()\n"
        f"for step in (1, 2):\n    io.step(step, float(step))\n    {how.format(value)}\nio.finish()\n"
    )


def stored(folder, name: str, variable: str = "v") -> np.ndarray:
    with netCDF4.Dataset(folder / name) as data:
        data.set_auto_mask(False)
        return data[variable][:]


@pytest.mark.parametrize(
    ("dtype", "fill", "value"),
    [
        ("float64", "-999.0", "np.ma.array([1.0, 7777.0, 3.0], mask=[0, 1, 0])"),
        ("float32", "1e20", "np.ma.array([1.0, 7777.0, 3.0], mask=[0, 1, 0], dtype='float32')"),
        ("float64", "np.nan", "np.ma.array([1.0, 7777.0, 3.0], mask=[0, 1, 0])"),
        ("int32", "-7", "np.ma.array([1, 7777, 3], mask=[0, 1, 0], dtype='int32')"),
        ("int64", "-9223372036854775806", "np.ma.array([1, 7777, 3], mask=[0, 1, 0], dtype='int64')"),
        ("float64", "-999.0", "pd.Series([1.0, None, 3.0])"),
        ("float64", "-999.0", "pd.Series([1.0, pd.NA, 3.0], dtype='Float64')"),
        ("int64", "-7", "pd.Series([1, pd.NA, 3], dtype='Int64')"),
        ("int32", "-7", "pd.array([1, pd.NA, 3], dtype='Int32')"),
        ("float64", "-999.0", "xr.DataArray([1.0, np.nan, 3.0], dims='x')"),
    ],
)
def test_missing_values_take_the_fill_value(tmp_path, dtype, fill, value):
    assert run(tmp_path, put(dtype, fill, value)) == ""
    number = eval(fill)
    for name in ("o.nc", "m.nc"):
        with netCDF4.Dataset(tmp_path / name) as data:
            assert data["v"].getncattr("_FillValue") == np.array(number, data["v"].dtype) or number != number
            assert data["v"][0].tolist() == [1, None, 3], name
    raw = stored(tmp_path, "o.nc")[:, 1]
    assert np.array_equal(raw, np.full(2, number, dtype), equal_nan=number != number)


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        ("float64", "np.ma.array([1.0, 2.0, 3.0])", [1, 2, 3]),
        ("float64", "np.ma.array([1.0, 2.0, 3.0], mask=[0, 0, 0])", [1, 2, 3]),
        ("int64", "pd.Series([1, 2, 3], dtype='Int64')", [1, 2, 3]),
        ("float32", "xr.DataArray([1, 2, 3], dims='x').astype('f4')", [1, 2, 3]),
        ("float64", "np.array([1.0, np.nan, 3.0])", [1, np.nan, 3]),
        ("float64", "xr.DataArray([1.0, np.nan, 3.0], dims='x')", [1, np.nan, 3]),
        ("float64", "pd.Series([1.0, None, 3.0])", [1, np.nan, 3]),
    ],
)
def test_a_field_without_a_fill_value(tmp_path, dtype, value, expected):
    assert run(tmp_path, put(dtype, "None", value)) == ""
    assert np.array_equal(stored(tmp_path, "o.nc")[1], expected, equal_nan=True)


PUT = 'put of field "v": '
NEEDS_FILL = ", but the field has no fill_value; declare it with fill_value=..."


@pytest.mark.parametrize(
    ("dtype", "value", "message"),
    [
        ("float64", "np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 1])", PUT + "2 of 3 values are masked" + NEEDS_FILL),
        ("int64", "pd.Series([1, pd.NA, 3], dtype='Int64')", PUT + "1 of 3 values is NA" + NEEDS_FILL),
        (
            "float64",
            "np.array([1.0, None, 3.0])",
            PUT
            + 'expected an array of float64, not an array of object; make numbers of it, numpy.asarray(a, "float64"), '
            "or numpy.ma.masked_array where values are missing",
        ),
        (
            "int64",
            "np.array(['2026-01-01', 'NaT', '2026-01-03'], 'M8[ns]')",
            PUT + "expected an array of int64, not an array of datetime64[ns]; make numbers of times, with units: "
            '(times - start) / numpy.timedelta64(1, "s")',
        ),
        ("float64", "None", PUT + "expected an array of float64, not a NoneType"),
        (
            "float32",
            "np.ma.array([1.0, 2.0, 3.0], mask=[0, 0, 0])",
            PUT + "the array is of type float64, but the field was declared as float32",
        ),
    ],
)
def test_what_would_be_lost_is_refused(tmp_path, dtype, value, message):
    assert run(tmp_path, put(dtype, "None", value)).startswith(message)


def test_a_fixed_field_and_a_slot(tmp_path):
    model = (
        "io.field('f', grid='g', fill_value=-1.0)\n"
        + put("float64", "-999.0", "np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])", "pass").replace("io.finish()\n", "")
    ).replace(
        "    pass",
        """    if step == 1:
        io.put('f', np.ma.array([4.0, 5.0, 6.0], mask=[1, 0, 0]))
    slot = io.acquire('v')
    slot[:2] = np.ma.array([1.0, 2.0], mask=[0, 1])
    slot[2] = 3.0
    io.publish('v')""",
    )
    assert run(tmp_path, model + "io.finish()\n") == ""
    assert stored(tmp_path, "o.nc").tolist() == [[1.0, -999.0, 3.0]] * 2
    assert stored(tmp_path, "o.nc", "f").tolist() == [-1.0, 5.0, 6.0]


COORDINATE = 'coordinate "x" of grid "g": '


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            "io.coordinate('g', 'x', np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]))",
            COORDINATE + "1 of 3 values is masked; give numbers",
        ),
        (
            "io.coordinate('g', 'x', np.array(['2026-01-01', 'NaT', '2026-01-03'], 'M8[ns]'))",
            COORDINATE + "expected numbers, but got times (datetime64[ns])",
        ),
        ("io.coordinate('g', 'x', [1.0, None, 3.0])", COORDINATE + "expected numbers, but got None among them"),
        ("io.coordinate('g', 'x', [1.0, 2j, 3.0])", COORDINATE + "expected numbers, but got an array of complex128"),
        (
            "io.coordinate('g', 'x', [1.0, 2.0, 3.0], bounds=np.ma.array(np.ones((3, 2)), mask=True))",
            COORDINATE + "bounds: 6 of 6 values are masked",
        ),
        (
            "io.grid('i', dims=['x'], shape=[3], indexed_dim='x', indices=[0.0, 1.5, 2.0])",
            'grid "i": indices: expected whole numbers that int64 can hold, but got 1.5 among them',
        ),
        ("io.put_value('seed', np.ma.array([1, 2], mask=[0, 1]))", 'put_value: "seed": expected numbers'),
        (
            "io.field('v', grid='g', attributes={'a': np.ma.array([1, 2], mask=[0, 1])})",
            'field "v": attribute "a": expected numbers, but some of them are masked',
        ),
        ("io.field('v', grid='g', fill_value='no')", 'field "v": fill_value: expected a number, not a str'),
        ("io.field('v', grid='g', dtype='x')", 'type "x" is not one of float32, float64, int32 or int64'),
    ],
)
def test_declarations_refuse_what_they_would_lose(tmp_path, call, message):
    assert run(tmp_path, call + "\n").startswith(message)


def test_face_nodes_of_xarray_and_masked_ones(tmp_path):
    for name, faces in {
        "nan": "xr.DataArray([[0.0, 1, 2, np.nan], [0, 2, 3, np.nan]])",
        "masked": "np.ma.masked_equal([[0, 1, 2, 999], [0, 2, 3, 999]], 999)",
        "wide": "np.array([[0, 1, 2, -1], [0, 2, 3, -1]], 'int64')",
    }.items():
        folder = tmp_path / name
        folder.mkdir()
        model = (
            "io.grid('i', dims=['cell'], shape=[2], indexed_dim='cell', indices=[0, 1])\n"
            f"io.mesh('i', [0.0, 1, 1, 0], [0.0, 0, 1, 1], {faces})\n"
            "io.field('v', grid='i')\nio.ready()\nio.step(1, 1.0)\nio.put('v', np.ones(2))\nio.finish()\n"
        )
        assert run(folder, model) == ""
        assert stored(folder, "o.nc", "mesh_face_nodes").tolist() == [[0, 1, 2, -1], [0, 2, 3, -1]], name


def test_attributes_keep_their_type(tmp_path):
    types = ["int8", "uint8", "int16", "int32", "int64", "float32", "float64"]
    model = f"""
given = {{name: np.array([1, 2], name) for name in {types}}} | {{"one": np.int8(3), "short": np.uint16(4), "list": [5]}}
io.field("v", grid="g", attributes=given)
io.ready()
io.step(1, 1.0)
io.put("v", np.ones(3))
io.finish()
"""
    assert run(tmp_path, model) == ""
    with netCDF4.Dataset(tmp_path / "o.nc") as data:
        found = {name: np.asarray(data["v"].getncattr(name)) for name in [*types, "one", "short", "list"]}
    assert {name: str(found[name].dtype) for name in types} == {name: name for name in types}
    assert [str(found[name].dtype) for name in ("one", "short", "list")] == ["int8", "int32", "int32"]
    assert [found[name].item() for name in ("one", "short", "list")] == [3, 4, 5]


@pytest.mark.parametrize(
    ("spelling", "stored_as"), [("f", "f4"), ("f4", "f4"), ("d", "f8"), ("i8", "i8"), ("=i4", "i4")]
)
def test_numpy_spellings_of_types(tmp_path, spelling, stored_as):
    assert run(tmp_path, put(spelling, "None", f"np.ones(3, '{stored_as}')")) == ""
    assert stored(tmp_path, "o.nc").dtype == np.dtype(stored_as)
