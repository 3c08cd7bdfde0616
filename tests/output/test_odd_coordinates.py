"""Coordinates with gaps or without order become auxiliary ones, with one warning, however the ranks give them."""

import sys

import numpy as np
import pytest
import xarray as xr
from support.harness import Running, mpi_environment

MODEL = """
import sys
import numpy as np
import tailrace
from mpi4py import MPI

kind, units, values = sys.argv[1], sys.argv[2], np.array([float(one) for one in sys.argv[3].split(",")])
comm = MPI.COMM_WORLD
mine = slice(0, 2) if comm.rank == 0 else slice(2, 6)
with tailrace.Session.start(comm, "run.yaml", component="m") as io:
    if kind == "indexed":
        io.grid("g", dims=["c"], shape=[6], indexed_dim="c", indices=np.arange(6)[mine])
    else:
        io.grid("g", dims=["c"], shape=[6], offset=[mine.start], count=[mine.stop - mine.start])
    io.coordinate("g", "c", values if kind == "whole" else values[mine], units=units)
    io.coordinate("g", "lat", values if kind == "whole" else values[mine], dims=["c"], units="degrees_north")
    io.field("t", grid="g")
    io.ready()
    io.step(1, 1.0)
    io.put("t", np.arange(6.0)[mine])
"""
CONFIG = """
tailrace: 1
servers: {mode: attached, report: false}
fields: {s: {every: 1 step, names: [t]}}
output:
  o.nc: {variables: [{field: t, every: 1 s}]}
"""
RULE = (
    ", but a coordinate variable increases or decreases strictly and has no missing values (CF 1.2); it is written as "
    'an auxiliary coordinate, along the dimension "c_index"'
)
KINDS = {
    "nan": ("m", [-60, -20, np.nan, 20, 40, 60], "it is nan at index 2"),
    "inf": ("m", [-60, -20, 0, 20, 40, np.inf], "it is inf at index 5"),
    "equal": ("m", [-60, -20, -20, 20, 40, 60], "it is -20 at index 1 and again at index 2"),
    "up_and_down": ("m", [-60, -20, -40, 20, 40, 60], "it increases to -20 at index 1, then decreases to -40"),
    "turning": ("degrees_east", [180, 240, 300, 0, 60, 120], "it increases to 300 at index 2, then decreases to 0"),
}


def run(folder, kind: str, units: str, values) -> str:
    (folder / "model.py").write_text(MODEL)
    (folder / "run.yaml").write_text(CONFIG)
    text = ",".join(str(float(one)) for one in values)
    command = ["mpirun", "-n", "2", sys.executable, "model.py", kind, units, text]
    with Running(command, folder, mpi_environment()) as running:
        result = running.wait(60)
    assert result.status == 0, result.output
    return result.output


@pytest.mark.parametrize(
    ("name", "kind"), [(name, "part") for name in KINDS] + [("equal", "whole"), ("nan", "indexed")]
)
def test_they_become_auxiliary(tmp_path, name, kind):
    units, values, says = KINDS[name]
    output = run(tmp_path, kind, units, values)
    warning = f'grid "g": coordinate "c": {says}{RULE}'
    if name == "turning":
        warning += ". Longitudes that go on behind the jump (add or subtract 360) would be an axis"
    (line,) = [line for line in output.splitlines() if '"c"' in line]
    assert line.endswith(warning)
    with xr.open_dataset(tmp_path / "o.nc") as data:
        assert data.sizes["c_index"] == 6 and data.t.dims == ("time", "c_index")
        assert np.array_equal(data.c, values, equal_nan=True)
        assert data.c.dims == ("c_index",) and "c" in data.t.coords
        assert np.isnan(data.c.encoding.get("_FillValue", 0.0)) == (name == "nan")
        assert np.array_equal(data.t[0], np.arange(6))


def test_latitudes_beyond_the_poles_are_told(tmp_path):
    values = [-999, 10, 20, 30, 40, 91]
    output = run(tmp_path, "part", "m", values)
    (line,) = [line for line in output.splitlines() if "warning" in line]
    assert line.endswith(
        'grid "g": coordinate "lat": 2 of its values are beyond the poles, such as -999; expected -90 to 90, and NaN '
        "for cells without a place"
    )
    with xr.open_dataset(tmp_path / "o.nc") as data:
        assert data.lat.values.tolist() == values
        assert data.c.values.tolist() == values, "it is in order, so it is an axis"
